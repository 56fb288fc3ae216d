/** How vendors date their ids, longest first: what the digits look like and the mark for them. */
const forms: readonly (readonly [digits: RegExp, mark: string])[] = [
  [/(?<=[-@])20\d\d-[01]\d-[0-3]\d$/, 'YYYY-MM-DD'],
  [/(?<=[-@])20\d\d[01]\d[0-3]\d$/, 'YYYYMMDD'],
  [/(?<=-)[01]\d-20\d\d$/, 'MM-YYYY'],
  [/(?<=-)[01]\d-[0-3]\d$/, 'MM-DD'],
  [/(?<=-)2\d[01]\d$/, 'YYMM'],
  [/(?<=-)\d{3}$/, 'NNN'],
]

/**
 * The id with its date replaced by a mark, in every way that it can be read:
 * `gpt-5-mini-2025-08-07` gives `gpt-5-mini-YYYY-MM-DD` and `gpt-5-mini-2025-MM-DD`.
 */
export function datedForms(modelId: string): string[] {
  // Most ids end otherwise, and a catalog may have ten thousand.
  if (!/\d\d$/.test(modelId)) return []
  return forms.flatMap(([digits, mark]) =>
    digits.test(modelId) ? [modelId.replace(digits, mark)] : [],
  )
}
