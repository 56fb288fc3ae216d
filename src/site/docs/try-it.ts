import { escapeHtml } from '../../look/text.ts'
import type { PlacedOperation } from './operation.ts'
import type { Words } from './words.ts'

/**
 * Sends what a form of the API's page holds, and shows the answer as it comes. The token stays in the page: it is
 * put into the other forms, and nowhere else. Without scripts there are no forms, only the curl lines.
 */
export const tryScript =
  "addEventListener('input',e=>{if(e.target.name==='token')for(const i of document.querySelectorAll('.try [name=token]'))" +
  'i.value=e.target.value});' +
  "addEventListener('submit',async e=>{const f=e.target;if(!f.matches('.try form'))return;e.preventDefault();" +
  "const o=f.querySelector('output'),q=new URLSearchParams,h={},d=f.dataset;let p=d.path;" +
  "for(const i of f.querySelectorAll('[data-in]'))if(i.dataset.in==='path')p=p.replace('{'+i.name+'}'," +
  'encodeURIComponent(i.value).replace(/%2F|%3A/g,decodeURIComponent));else if(i.value)q.set(i.name,i.value);' +
  "const k=f.elements.token?.value.trim(),b=f.elements.body?.value;if(k)h.authorization='Bearer '+k;" +
  "if(b)h['content-type']='application/json';o.textContent='…';const t=performance.now();" +
  "try{const r=await fetch(p+(q.size?'?'+q:''),{method:d.method,headers:h,body:b,credentials:'omit'});" +
  "const s=r.status+' · '+Math.round(performance.now()-t)+' ms\\n\\n',c=r.body?.pipeThrough(new TextDecoderStream).getReader();" +
  "let a='';for(;c&&a.length<2e5;){const{done,value}=await c.read();if(done)break;a+=value;o.textContent=s+a}" +
  'try{a=JSON.stringify(JSON.parse(a),null,2)}catch{}o.textContent=s+a}catch(x){o.textContent=String(x)}})'

/** A form that sends the operation by the reader's own token; empty where it takes files. */
export function tryForm(placed: PlacedOperation, words: Words): string {
  const { method, path, operation } = placed
  const { isOpen, parameters = [], body, contentType } = operation
  if (contentType === 'multipart/form-data') return ''
  const field = (label: string, input: string) => `<label>${label}${input}</label>`
  const token = field(
    words.token,
    '<input name="token" type="password" autocomplete="off" spellcheck="false" placeholder="sk-…">',
  )
  const inputs = parameters.map(({ name, place, example }) =>
    field(
      `<code>${escapeHtml(name)}</code>`,
      `<input name="${escapeHtml(name)}" data-in="${place}" value="${escapeHtml(example)}" spellcheck="false">`,
    ),
  )
  const text = escapeHtml(JSON.stringify(body, null, 2) ?? '')
  const textarea =
    body === undefined
      ? ''
      : field(words.body, `<textarea name="body" spellcheck="false">${text}</textarea>`)
  return (
    `<details class="try"><summary>${words.tryIt}</summary>` +
    `<form data-method="${method}" data-path="${escapeHtml(path)}">${isOpen ? '' : token}${inputs.join('')}${textarea}` +
    `<button class="button main">${words.send}</button><pre tabindex="0"><output aria-live="polite">${words.answerHere}</output></pre>` +
    `<p class="soft">${words.tryAbout}</p></form></details>`
  )
}
