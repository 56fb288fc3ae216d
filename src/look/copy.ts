import { icon } from './icons.ts'
import { escapeHtml } from './text.ts'

/**
 * The script of public pages with texts to copy: it shows the copy buttons, and copies the text before one. Pages are whole
 * without it. The content security policy names it by its hash.
 */
export const copyScript =
  "document.documentElement.classList.add('can-copy');addEventListener('click',async e=>{" +
  "const b=e.target.closest('.copy');if(!b)return;const c=b.previousElementSibling,s=b.lastChild;" +
  // Without https there is no clipboard: the text is selected, and copied as a person would.
  'try{await navigator.clipboard.writeText(c.textContent)}catch{getSelection().selectAllChildren(c);' +
  "if(!document.execCommand('copy'))return}" +
  'const t=b.dataset.copy??=s.textContent;s.textContent=b.dataset.done;b.classList.add("done");' +
  'setTimeout(()=>{s.textContent=t;b.classList.remove("done")},2e3)})'

/** A text, and the button that copies it. `html` is one element whose text is copied. */
export const copiable = (
  html: string,
  words: Readonly<Record<'copy' | 'copied', string>>,
): string =>
  `<div class="copied">${html}<button type="button" class="copy" data-done="${escapeHtml(words.copied)}">` +
  `${icon('copy', 14)}<span>${escapeHtml(words.copy)}</span></button></div>`
