/** Text as HTML, also within quotes. */
export const escapeHtml = (text: string): string => Bun.escapeHTML(text)
