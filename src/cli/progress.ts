import { tell, tellInPlace } from './terminal.ts'

/** How often a line on a terminal changes, and how often a log gets another one. */
const terminalMs = 200
const logMs = 10_000

/** Says on stderr how far a long command is. */
export interface Progress {
  show(text: string): void
  /** Clears the line. */
  done(): void
}

/**
 * A line on the terminal that changes and is gone at the end; elsewhere a line now and then, for
 * those who read logs of long jobs.
 */
export function createProgress(stderr: NodeJS.WriteStream = process.stderr): Progress {
  const everyMs = stderr.isTTY ? terminalMs : logMs
  let shownAt = stderr.isTTY ? Number.NEGATIVE_INFINITY : performance.now()
  return {
    show(text) {
      if (performance.now() - shownAt < everyMs) return
      shownAt = performance.now()
      if (stderr.isTTY) tellInPlace(`${text} …`, stderr)
      else tell(`tollgate: ${text} …\n`, stderr)
    },
    done() {
      if (stderr.isTTY) tellInPlace('', stderr)
    },
  }
}
