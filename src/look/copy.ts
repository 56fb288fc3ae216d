import { icon } from './icons.ts'
import { escapeHtml } from './text.ts'

/**
 * The only script of the public pages: it shows the copy buttons, and copies the text before one. Pages are whole
 * without it. The content security policy names it by its hash.
 */
export const copyScript =
  "document.documentElement.classList.add('can-copy');addEventListener('click',async e=>{" +
  "const b=e.target.closest('.copy');if(!b)return;await navigator.clipboard.writeText(" +
  'b.previousElementSibling.textContent);const s=b.lastChild,t=s.textContent;s.textContent=b.dataset.done;' +
  'setTimeout(()=>s.textContent=t,2e3)})'

/** A text, and the button that copies it. `html` is one element whose text is copied. */
export const copiable = (
  html: string,
  words: Readonly<Record<'copy' | 'copied', string>>,
): string =>
  `<div class="copied">${html}<button type="button" class="copy" data-done="${escapeHtml(words.copied)}">` +
  `${icon('copy', 14)}<span>${escapeHtml(words.copy)}</span></button></div>`
