/** Counts the system's calls of processes, with all their threads, from now on; undefined where strace is missing. */
export function watchCalls(
  pids: readonly number[],
): (() => Promise<number | undefined>) | undefined {
  if (Bun.which('strace') === null) return undefined
  const processes = pids.flatMap((pid) => ['-p', String(pid)])
  const child = Bun.spawn(['strace', '-c', '-f', '-q', ...processes], {
    stdout: 'ignore',
    stderr: 'pipe',
  })
  return async () => {
    child.kill('SIGINT')
    return readCalls(await new Response(child.stderr).text())
  }
}

/** The sum of the calls in the table that `strace -c` writes. */
export function readCalls(table: string): number | undefined {
  const total = /^\s*100\.00\s+[\d.]+\s+\d*\s+(\d+)\s.*total$/m.exec(table)?.[1]
  return total === undefined ? undefined : Number(total)
}
