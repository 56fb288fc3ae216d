import { writeSync } from 'node:fs'
import { closeSocket, openListeningSockets } from '../../lib/listening-sockets.ts'
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
  /** More than there are sockets, while some of them end in favour of others. */
  const workers = new Set<Seat>()
  /** Workers that want to end, each with the one that serves in its place. */
  const leaving = new Map<Seat, Seat>()
  const all = () => [keeper, ...workers]
  const isStopping = () => phase === 'stops' || phase === 'hurries'

  function addWorker(socket: number): Seat {
    const isFree = (index: number) => ![...workers].some((one) => one.index === index)
    const index = Array.from({ length: workers.size + 1 }, (_, i) => i).find(isFree) ?? 0
    const seat: Seat = createSeat({
      ...{ role: { ...shared, role: 'worker', index }, command, socket },
      onMessage: (message) => hearWorker(seat, message),
      onEnd: (ended) => workerEnded(seat, ended),
    })
    workers.add(seat)
    seat.fill()
    return seat
  }

  function tellStop(seat: Seat): void {
    if (isStopping()) seat.send({ kind: 'stop', isReplaced: false })
    if (phase === 'hurries') seat.send({ kind: 'hurry' })
  }

  function tellWorkers(): void {
    const living = [...workers].flatMap((seat) => {
      const pid = seat.pid()
      return pid === undefined ? [] : [{ index: seat.index, pid, isReady: seat.isReady() }]
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
    } else if (message.kind === 'kill-worker') {
      const seat = [...workers].find((worker) => worker.pid() === message.pid)
      if (seat) log.error(`${seat.name} does not answer: it is killed`, { pid: message.pid })
      seat?.kill()
    }
  }

  function hearWorker(seat: Seat, message: FromChild): void {
    if (message.kind === 'joined') tellStop(seat)
    if (message.kind === 'leaving') replace(seat)
    if (message.kind !== 'ready') return
    tellWorkers()
    hearReady(seat)
    for (const [old, heir] of leaving) if (heir === seat) relieve(old, heir)
  }

  function relieve(old: Seat, heir: Seat): void {
    log.info(`${heir.name} serves in the place of ${old.name}`, { pid: heir.pid() })
    old.send({ kind: 'stop', isReplaced: true })
  }

  /** Another one serves on its socket before it stops. */
  function replace(seat: Seat): void {
    if (phase !== 'serves' || leaving.has(seat) || seat.socket === undefined) return
    log.info(`${seat.name} is asked to end`, { pid: seat.pid() })
    leaving.set(seat, addWorker(seat.socket))
    tellWorkers()
  }

  function hearReady(seat: Seat): void {
    if (seat.isRefilled()) log.info(`${seat.name} serves again`, { pid: seat.pid() })
  }

  function workerEnded(seat: Seat, ended: Ended): void {
    if (isStopping()) exitCode ||= Math.min(ended.code, 1)
    else if (leaving.has(seat)) forget(seat)
    else if (phase !== 'fails') again(seat, ended)
    tellWorkers()
    endIfEmpty()
  }

  function forget(seat: Seat): void {
    leaving.delete(seat)
    workers.delete(seat)
  }

  function keeperEnded(ended: Ended): void {
    if (phase === 'starts') fail(ended.code)
    else if (!isStopping()) again(keeper, ended)
    else if ([...workers].some((worker) => worker.pid() !== undefined)) again(keeper, ended)
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
    if (all().some((seat) => seat.pid() !== undefined)) return
    for (const seat of all()) seat.close()
    void log.flush().then(() => done.resolve(exitCode))
  }

  function stop(): void {
    if (isStopping() || phase === 'fails') return
    phase = 'stops'
    for (const worker of workers) worker.close()
    // A worker that takes no more then leaves no socket behind in which connections would wait for nobody.
    descriptors.forEach(closeSocket)
    for (const seat of all()) tellStop(seat)
    tellWorkers()
    setTimeout(() => {
      const left = all()
        .filter((seat) => seat.pid() !== undefined)
        .map(({ name }) => name)
      killAll(`stopped, but not ended in time, and killed: ${left.join(', ')}`)
    }, facts.stopMs).unref()
  }

  function hurry(): void {
    if (phase !== 'stops') return
    phase = 'hurries'
    for (const seat of all()) seat.send({ kind: 'hurry' })
  }

  function killAll(why: string): void {
    exitCode ||= 1
    for (const seat of all()) seat.close()
    for (const seat of all()) seat.kill()
    complain(why)
  }

  heedSignals({ stop, hurry, reload: () => keeper.send({ kind: 'reload' }), kill: killAll })
  process.on('uncaughtException', (error) => log.error('uncaught exception', { error }))
  process.on('unhandledRejection', (error) => log.error('unhandled rejection', { error }))
  keeper.fill()
  descriptors.forEach(addWorker)
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
