/** The process's environment, or what a test takes for it. */
export type Environment = { readonly [name: string]: string | undefined }

/**
 * Reads the `${NAME}` references of a value; `$${` stands for a literal `${`. What a variable
 * holds is taken as it is, references in it are not followed.
 */
export function substitute(
  text: string,
  env: Environment,
): { text: string } | { complaint: string } {
  const complaints: string[] = []
  const result = text.replace(/\$\$\{|\$\{([^}]*)\}?/g, (whole, name: string | undefined) => {
    if (name === undefined) return '${'
    if (!whole.endsWith('}') || !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
      complaints.push(`has a broken reference: write \${NAME}, or $\${ for a literal \${`)
      return ''
    }
    const value = Object.hasOwn(env, name) ? env[name] : undefined
    if (value === undefined)
      complaints.push(`refers to the environment variable ${name}, which is not set`)
    return value ?? ''
  })
  return complaints.length > 0 ? { complaint: complaints.join('; it ') } : { text: result }
}

/** True for a value that is one reference and nothing else. */
export function isReference(text: string): boolean {
  return /^\$\{[A-Za-z_][A-Za-z0-9_]*\}$/.test(text)
}

// A flow map (`{ key: ${NAME} }`) would end at the reference's brace. While YAML is parsed, the
// reference's marks are therefore letters of the private use area: same length, same places.
const shielded = /\uE000\uE001([A-Za-z_][A-Za-z0-9_]*)\uE002/g

/** Makes references safe for the YAML parser without moving a character. */
export function shieldReferences(yaml: string): string {
  return yaml.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, '\uE000\uE001$1\uE002')
}

/** Undoes `shieldReferences` in a parsed value. */
export function unshieldReferences(text: string): string {
  return text.replace(shielded, `\${$1}`)
}
