/** A name that a client sent, as a message shows it: it may be of any length. */
export function shortName(name: string): string {
  return name.length > 200 ? `${name.slice(0, 200).toWellFormed()}…` : name
}
