/** Between thousands, as people of different places write them. */
const separators = /(?<=\d)[,\s'_](?=\d{3}(?!\d))/g
/** More digits are no safe integers. */
const whole = /^-?\d{1,15}$/

/** `1,000` and `1 000` as a thousand; as it is typed what is no whole number: nothing is guessed. */
export function wholeOf(typed: string): number | string {
  const digits = typed.trim().replace(separators, '')
  return whole.test(digits) ? Number(digits) : typed
}
