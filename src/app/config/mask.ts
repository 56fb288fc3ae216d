/** Hides token keys anywhere in a text. */
export function maskKeys(text: string): string {
  return text.replace(/\bsk-[^\s"',\]}]+/g, 'sk-***')
}

/**
 * A value of the file as a message may show it: short, and without anything that may be secret.
 * A slip of the pen can put a secret anywhere (`email: a@b.c password hunter2` is one value), so
 * this hides what looks like a credential, whatever key it stands under.
 */
export function showValue(text: string): string {
  if (text.length > 200) return `a value of ${text.length} characters`
  const shown = text
    .split(/(\$\{[A-Za-z_]\w*\})/)
    .map((part, i) => (i % 2 === 1 ? part : hideSecrets(part)))
    .join('')
  return JSON.stringify(shown.length > 80 ? `${shown.slice(0, 79)}…` : shown)
}

function hideSecrets(text: string): string {
  return maskKeys(text)
    .replace(/\/\/\S*@/g, '//***@')
    .replace(/\?\S+/g, '?***')
    .replace(/(pass\w*|secret\w*|\w*key\w*)(["'\s:=]*)[^\s"']+/gi, '$1$2***')
    .replace(/(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{24,}/g, (long) => `${long.slice(0, 4)}***`)
}
