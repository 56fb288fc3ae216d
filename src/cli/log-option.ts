import { Option } from 'commander'
import type { LogForm } from '../app/open-log.ts'

/** The `--log` option; the default depends on the terminal. */
export const logOption = (about: string, forms: readonly LogForm[]): Option =>
  new Option('--log <form>', about)
    .choices(forms)
    .default(process.stdout.isTTY ? 'pretty' : 'json', 'pretty on a terminal, else json')
