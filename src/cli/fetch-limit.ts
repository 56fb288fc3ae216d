/** Read by Bun before the first line of ours runs. */
const variable = 'BUN_CONFIG_MAX_HTTP_REQUESTS'

/** The largest value that Bun 1.4 accepts; it ignores a larger one in silence. */
const most = '65535'

/** Commands that forward requests; a bare `tollgate`, also with options, is `serve`. */
const forwards = new Set([undefined, 'serve', 'demo'])

/**
 * Lets `fetch` run more than 256 requests at once, open streams included. The limit is fixed when
 * a process starts, so this one replaces itself, once: same id, same arguments. Where that is not
 * possible it returns, and `fetchLimitWarning` says so.
 */
export function raiseFetchLimit(args: readonly string[]): void {
  const [first] = args
  if (process.env[variable] !== undefined) return
  if (!forwards.has(first) && !first?.startsWith('-')) return
  if (process.platform === 'win32' || process.execve === undefined) return
  // A compiled binary finds its own code; `bun src/main.ts` must be told again.
  const script = isCompiled() ? [] : [...process.execArgv, Bun.main]
  try {
    process.execve(process.execPath, [process.execPath, ...script, ...args], {
      ...process.env,
      [variable]: most,
    })
  } catch {
    // The warning below is what comes of it.
  }
}

/** Where the code of a compiled binary lives, on Unix and on Windows. */
const isCompiled = () => /^(\/\$bunfs\/|B:[\\/]~BUN[\\/])/.test(Bun.main)

/** Says that only 256 upstream requests can run at once, when that is so. */
export function fetchLimitWarning(): string | undefined {
  if (process.env[variable] !== undefined) return undefined
  return (
    'At most 256 upstream requests run at once, open streams included; more wait. ' +
    `Set ${variable}=${most} in the environment before the start.`
  )
}
