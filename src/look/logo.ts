/** The mark: the raised barrier of a toll gate, 32 by 32. `colours` are CSS colours. */
export const logoSvg = ({ ground, mark }: Readonly<Record<'ground' | 'mark', string>>): string =>
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" width="28" height="28" aria-hidden="true">' +
  `<rect width="32" height="32" rx="7" fill="${ground}"/>` +
  `<g fill="none" stroke="${mark}">` +
  '<path d="M9.5 15v10M6 25h7" stroke-width="3" stroke-linecap="round"/>' +
  '<path d="m9.5 15.5 17-8.5" stroke-width="4" stroke-dasharray="5 1.75 4.25 1.75 7"/></g>' +
  `<circle cx="9.5" cy="15.2" r="3.4" fill="${mark}"/></svg>`
