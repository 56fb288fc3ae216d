import { writeSync } from 'node:fs'
import { openListeningSockets } from '../../lib/listening-sockets.ts'
import type { LogFields, LogLevel } from '../../lib/log.ts'
import type { LogForm } from '../open-log.ts'
import { ownProgram } from '../own-program.ts'
import type { Ended } from './child.ts'
import type { FromChild } from './messages.ts'
import type { StarterRole } from './role.ts'
import { createSeat, type Seat } from './seat.ts'
import { heedSignals } from './signals.ts'

/**
 * Starts the keeper and the workers of a group, passes signals on, and starts again what dies. Resolves to the
 * exit code when all have ended. It holds no data: it is small, and has nothing to lose.
 */
export async function runStarter(
  facts: StarterRole,
  command: readonly string[] = [...ownProgram(), ...process.argv.slice(2)],
): Promise<number> {
  const opened = await openPort(facts)
  if (opened === undefined) return 1
  const { port, descriptors } = opened
  const shared = { ...facts, port }
  const log = createLazyLog(facts.log)
  const done = Promise.withResolvers<number>()
  let phase: 'starts' | 'serves' | 'stops' | 'hurries' | 'fails' = 'starts'
  let exitCode = 0

  const keeper = createSeat({
    ...{ role: { ...shared, role: 'keeper', index: 0 }, command },
    ...{ onMessage: hearKeeper, onEnd: keeperEnded },
  })
  const workers = descriptors.map((socket, index) => {
    const seat: Seat = createSeat({
      ...{ role: { ...shared, role: 'worker', index }, command, socket },
      onMessage: (message) => hearWorker(seat, message),
      onEnd: (ended) => workerEnded(seat, ended),
    })
    return seat
  })
  const all = [keeper, ...workers]
  const isStopping = () => phase === 'stops' || phase === 'hurries'

  function tellStop(seat: Seat): void {
    if (isStopping()) seat.send({ kind: 'stop' })
    if (phase === 'hurries') seat.send({ kind: 'hurry' })
  }

  function tellWorkers(): void {
    const living = workers.flatMap((seat, index) => {
      const pid = seat.pid()
      return pid === undefined ? [] : [{ index, pid, isReady: seat.isReady() }]
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
      hearReady(keeper)
    } else {
      const seat = workers.find((worker) => worker.pid() === message.pid)
      if (seat) log.error(`${seat.name} does not answer: it is killed`, { pid: message.pid })
      seat?.kill()
    }
  }

  function hearWorker(seat: Seat, message: FromChild): void {
    if (message.kind === 'joined') tellStop(seat)
    if (message.kind !== 'ready') return
    tellWorkers()
    hearReady(seat)
  }

  function hearReady(seat: Seat): void {
    if (seat.isRefilled()) log.info(`${seat.name} serves again`, { pid: seat.pid() })
  }

  function workerEnded(seat: Seat, ended: Ended): void {
    if (isStopping()) exitCode ||= Math.min(ended.code, 1)
    else if (phase !== 'fails') again(seat, ended)
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

  function again(seat: Seat, ended: Ended): void {
    const { pid, code, signal, livedMs, error } = ended
    const pauseMs = seat.refill(ended)
    const fields = { pid, code, signal, error, lived_ms: Math.round(livedMs), pause_ms: pauseMs }
    const message = `${seat.name} has ended; another one takes its place`
    if (code === 0) log.info(message, fields)
    else log.error(message, fields)
  }

  /** An empty keeper's seat is being filled again as long as workers live: they have charges to store. */
  function endIfEmpty(): void {
    if (phase === 'starts' || phase === 'serves') return
    if (all.some((seat) => seat.pid() !== undefined)) return
    for (const seat of all) seat.close()
    void log.flush().then(() => done.resolve(exitCode))
  }

  function stop(): void {
    if (isStopping() || phase === 'fails') return
    phase = 'stops'
    for (const worker of workers) worker.close()
    for (const seat of all) seat.send({ kind: 'stop' })
    tellWorkers()
    setTimeout(() => {
      const left = all.filter((seat) => seat.pid() !== undefined).map(({ name }) => name)
      killAll(`stopped, but not ended in time, and killed: ${left.join(', ')}`)
    }, facts.stopMs).unref()
  }

  function hurry(): void {
    if (phase !== 'stops') return
    phase = 'hurries'
    for (const seat of all) seat.send({ kind: 'hurry' })
  }

  function killAll(why: string): void {
    exitCode ||= 1
    for (const seat of all) seat.close()
    for (const seat of all) seat.kill()
    complain(why)
  }

  heedSignals({ stop, hurry, reload: () => keeper.send({ kind: 'reload' }), kill: killAll })
  process.on('uncaughtException', (error) => log.error('uncaught exception', { error }))
  process.on('unhandledRejection', (error) => log.error('unhandled rejection', { error }))
  for (const seat of all) seat.fill()
  return done.promise
}

/** Undefined: it could not be opened, which is said on stderr. */
async function openPort({ host, port, workers }: StarterRole) {
  try {
    return openListeningSockets({ host, port }, workers)
  } catch (cause) {
    const { cannotListen } = await import('../listen.ts')
    complain(cannotListen({ host, port, setBy: 'server.listen' }, cause).message)
    return undefined
  }
}

const complain = (text: string) => writeSync(2, `tollgate: ${text}\n`)

/** Nothing is logged, and nothing loaded for it, while all is well. */
function createLazyLog(form: LogForm) {
  let opened: ReturnType<typeof open> | undefined
  const open = async () => {
    const { openStarterLog } = await import('./starter-log.ts')
    return openStarterLog(form)
  }
  const at = (level: LogLevel) => (message: string, fields?: LogFields) => {
    opened ??= open()
    void opened.then(({ log }) => log[level](message, fields))
  }
  return {
    ...{ info: at('info'), error: at('error') },
    flush: async (): Promise<unknown> => (await opened)?.flush(),
  }
}
