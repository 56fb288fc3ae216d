/**
 * Faults that are left out, unless `--only` names them, until the program can bear them, and what is
 * waited for.
 */
export const waits: Readonly<Record<string, string>> = {
  'database moved': 'The program does not notice yet that its database is gone.',
  'disk full': 'Who leaves while nothing can be stored is not charged: it waits for the spool.',
  'files may not grow': 'The same as a full disk.',
  'lock held': 'The same as a full disk, while it is held for more than 5 s.',
  'clock jumps': '"verify" still finds the price by the clock.',
  'memory short': 'Large bodies still have no budget of memory.',
  'upstream: usage as strings': 'Counts that are strings are not read yet.',
}
