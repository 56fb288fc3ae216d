import { openLog } from '../open-log.ts'
import { ownProgram } from '../own-program.ts'
import type { Ended } from './child.ts'
import type { FromChild } from './messages.ts'
import { createPlace, type Place } from './place.ts'
import type { StarterRole } from './role.ts'
import { heedSignals } from './signals.ts'

/** Time for the last lines of the log. */
const flushMs = 2_000

/**
 * Starts the keeper and the workers of a group, passes signals on, and starts again what dies. Resolves to the
 * exit code when all have ended. It holds no data: it is small, and has nothing to lose.
 */
export function runStarter(
  facts: StarterRole,
  command: readonly string[] = [...ownProgram(), ...process.argv.slice(2)],
): Promise<number> {
  const { sink, log } = openLog(facts.log)
  const { sockets, ...shared } = facts
  const done = Promise.withResolvers<number>()
  let phase: 'starts' | 'serves' | 'stops' | 'hurries' | 'fails' = 'starts'
  let exitCode = 0

  const keeper = createPlace({
    ...{ role: { ...shared, role: 'keeper', worker: -1 }, command },
    ...{ onMessage: hearKeeper, onEnd: keeperEnded },
  })
  const workers = sockets.map((socket, worker) => {
    const place: Place = createPlace({
      ...{ role: { ...shared, role: 'worker', worker }, command, socket },
      onMessage: (message) => hearWorker(place, message),
      onEnd: (ended) => workerEnded(place, ended),
    })
    return place
  })
  const all = [keeper, ...workers]
  const isStopping = () => phase === 'stops' || phase === 'hurries'

  function tellStop(place: Place): void {
    if (isStopping()) place.send({ kind: 'stop' })
    if (phase === 'hurries') place.send({ kind: 'hurry' })
  }

  function tellWorkers(): void {
    const living = workers.flatMap((place, worker) => {
      const pid = place.pid()
      return pid === undefined ? [] : [{ worker, pid, isReady: place.isReady() }]
    })
    keeper.send({ kind: 'workers', living })
    if (isStopping() && living.length === 0) keeper.send({ kind: 'finish' })
  }

  function hearKeeper(message: FromChild): void {
    if (message.kind === 'joined') {
      tellStop(keeper)
      tellWorkers()
    } else if (message.kind === 'ready') {
      if (phase === 'starts') phase = 'serves'
    } else {
      const place = workers.find((worker) => worker.pid() === message.pid)
      if (place) log.error(`${place.name} does not answer: it is killed`, { pid: message.pid })
      place?.kill()
    }
  }

  function hearWorker(place: Place, message: FromChild): void {
    if (message.kind === 'joined') tellStop(place)
    if (message.kind === 'ready') tellWorkers()
  }

  function workerEnded(place: Place, ended: Ended): void {
    if (isStopping()) exitCode ||= Math.min(ended.code, 1)
    else if (phase !== 'fails') again(place, ended)
    tellWorkers()
    endIfEmpty()
  }

  function keeperEnded(ended: Ended): void {
    if (phase === 'starts') fail(ended.code)
    else if (!isStopping()) again(keeper, ended)
    else if (workers.some((worker) => worker.pid() !== undefined)) again(keeper, ended)
    else exitCode ||= Math.min(ended.code, 1)
    endIfEmpty()
  }

  /** The keeper has said why it can't start. */
  function fail(code: number): void {
    phase = 'fails'
    exitCode = code || 1
    for (const worker of workers) worker.close()
    for (const worker of workers) worker.kill()
  }

  function again(place: Place, ended: Ended): void {
    const { pid, code, signal, livedMs, error } = ended
    const pauseMs = place.refill(ended)
    const fields = { pid, code, signal, error, lived_ms: Math.round(livedMs), pause_ms: pauseMs }
    const message = `${place.name} has ended; another one takes its place`
    if (code === 0) log.info(message, fields)
    else log.error(message, fields)
  }

  /** An empty keeper's place is being filled again as long as workers live: they have charges to store. */
  function endIfEmpty(): void {
    if (phase === 'starts' || phase === 'serves') return
    if (all.some((place) => place.pid() !== undefined)) return
    for (const place of all) place.close()
    void sink.flush(flushMs).then(() => done.resolve(exitCode))
  }

  function stop(): void {
    if (isStopping() || phase === 'fails') return
    phase = 'stops'
    for (const worker of workers) worker.close()
    for (const place of all) place.send({ kind: 'stop' })
    tellWorkers()
    setTimeout(() => {
      const left = all.filter((place) => place.pid() !== undefined).map(({ name }) => name)
      killAll(`stopped, but not ended in time, and killed: ${left.join(', ')}`)
    }, facts.stopMs).unref()
  }

  function hurry(): void {
    if (phase !== 'stops') return
    phase = 'hurries'
    for (const place of all) place.send({ kind: 'hurry' })
  }

  function killAll(why: string): void {
    process.stderr.write(`tollgate: ${why}\n`)
    exitCode ||= 1
    for (const place of all) place.close()
    for (const place of all) place.kill()
  }

  heedSignals({ stop, hurry, reload: () => keeper.send({ kind: 'reload' }), kill: killAll })
  process.on('uncaughtException', (error) => log.error('uncaught exception', { error }))
  process.on('unhandledRejection', (error) => log.error('unhandled rejection', { error }))
  for (const place of all) place.fill()
  return done.promise
}
