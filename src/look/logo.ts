/** The mark: the raised barrier of a toll gate, 32 by 32. `colours` are CSS colours. */
export const logoSvg = ({ ground, mark }: Readonly<Record<'ground' | 'mark', string>>): string =>
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" width="28" height="28" aria-hidden="true">' +
  `<rect width="32" height="32" rx="7" fill="${ground}"/><path fill="${mark}" ` +
  'd="M6 13.5A1.5 1.5 0 0 1 7.5 12h4A1.5 1.5 0 0 1 13 13.5V25H6z"/>' +
  `<path fill="none" stroke="${mark}" stroke-width="4.5" stroke-dasharray="6 1.5 5 1.5 9" d="m9.5 12.5 18-7"/></svg>`
