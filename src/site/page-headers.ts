/** No script, nothing from elsewhere, no frame around it. */
const policy =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Says to browsers, old ones too, what a page of plain HTML may do: nothing. */
export function guardPage(headers: Headers): void {
  headers.set('content-security-policy', policy)
  headers.set('referrer-policy', 'no-referrer')
  headers.set('x-content-type-options', 'nosniff')
  headers.set('x-frame-options', 'DENY')
}
