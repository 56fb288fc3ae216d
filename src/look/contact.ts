/** Where a contact of the operator leads: mail, or an address. Undefined: it is words alone. */
export function contactHref(contact: string): string | undefined {
  if (/^[^\s@/:]+@[^\s@/:]+\.[^\s@/:]+$/.test(contact)) return `mailto:${contact}`
  return /^https?:\/\/\S+$/i.test(contact) ? contact : undefined
}
