import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

/** Debian's Chromium, or the one that `CHROMIUM` names. */
const program = process.env.CHROMIUM ?? '/usr/bin/chromium'

/** Why there is no browser here; undefined: there is one. With `CI=true` there must be. */
export const noBrowser =
  existsSync(program) || process.env.CI === 'true'
    ? undefined
    : `there is no Chromium at ${program} (CHROMIUM names another)`

/** Starts the browser, quiet and without a sandbox of its own. It asks nobody but the page's host. */
export const startChromium = (): Promise<Browser> =>
  chromium.launch({
    executablePath: program,
    args: [
      ...['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
      ...['--disable-component-update', '--disable-sync', '--no-first-run'],
    ],
  })
