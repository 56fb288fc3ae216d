/** So many names are read at a glance, and so many signs are two lines of a column. */
const [mostNames, mostSigns] = [3, 60]

/** The first three names, or fewer where they are long, but one: that is cut. */
export function firstFew(names: readonly string[]): readonly string[] {
  const few = names.slice(0, mostNames)
  while (few.length > 1 && few.join(', ').length > mostSigns) few.pop()
  return few.map((name) => (name.length > mostSigns ? `${name.slice(0, mostSigns)}…` : name))
}
