import { cpus } from 'node:os'

/** What a process of the measurement can be asked; each question has one answer. */
export type Questions = Readonly<Record<string, (value: never) => unknown>>

/** The far side of `startPart`: answers what the process is asked over its channel. */
export function answerQuestions(questions: Questions): void {
  process.on('message', async ({ id, name, value }: Asked) => {
    try {
      const answer = await questions[name]?.(value as never)
      process.send?.({ id, answer })
    } catch (error) {
      process.send?.({ id, failed: String(error) })
    }
  })
  process.on('disconnect', () => process.exit(0))
}

interface Asked {
  readonly id: number
  readonly name: string
  readonly value: unknown
}

interface Answered {
  readonly id: number
  readonly answer?: unknown
  readonly failed?: string
}

/** A process that takes part. */
export interface Part<Known extends Questions> extends AsyncDisposable {
  readonly pid: number
  ask<Name extends keyof Known & string>(
    name: Name,
    value: Parameters<Known[Name]>[0],
  ): Promise<Awaited<ReturnType<Known[Name]>>>
}

/** Starts `file` as a process of its own, on the given core where that can be said. */
export function startPart<Known extends Questions>(file: string, core?: number): Part<Known> {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  let last = 0
  const child = Bun.spawn([...pinnedTo(core), process.execPath, `${import.meta.dir}/${file}`], {
    stdout: 'inherit',
    stderr: 'inherit',
    serialization: 'json',
    ipc({ id, answer, failed }: Answered) {
      const { resolve, reject } = waiting.get(id) ?? {}
      waiting.delete(id)
      if (failed === undefined) resolve?.(answer)
      else reject?.(new Error(`${file}: ${failed}`))
    },
    onExit() {
      for (const { reject } of waiting.values()) reject(new Error(`${file} has ended`))
    },
  })
  return {
    pid: child.pid,
    ask(name, value) {
      const answer = Promise.withResolvers<unknown>()
      const id = ++last
      waiting.set(id, answer)
      child.send({ id, name, value })
      return answer.promise as never
    },
    async [Symbol.asyncDispose]() {
      child.kill()
      await child.exited
    },
  }
}

/** Words before a command that keep it on one core; none where that can't be said. */
export function pinnedTo(core: number | undefined): string[] {
  const isPossible = core !== undefined && Bun.which('taskset') !== null && cpus().length > core
  return isPossible ? ['taskset', '-c', String(core)] : []
}
