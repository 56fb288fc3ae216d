import { escapeHtml } from './text.ts'

interface Tab {
  readonly title: string
  readonly html: string
}

/** The style of tabs; `unseen` is for screen readers alone. */
export const tabsCss = `
.tabs{display:flex;flex-wrap:wrap;min-width:0;margin:0;padding:0;border:0}
.tabs>legend,.tabs>input,.unseen{position:absolute;width:1px;height:1px;margin:-1px;padding:0;border:0;overflow:hidden;clip-path:inset(50%);white-space:nowrap;appearance:none}
.tabs>label{padding:var(--s-2) var(--s-3);border-bottom:2px solid transparent;color:var(--soft);font-size:var(--t-14);font-weight:500;cursor:pointer}
.tabs>label:hover{color:var(--fg)}
.tabs>:checked+label{color:var(--accent);border-color:var(--accent)}
.tabs>:focus-visible+label{outline:2px solid var(--accent);outline-offset:-2px;border-radius:4px}
.tabs>.panel{display:none;order:1;width:100%;min-width:0;padding-top:var(--s-4);border-top:1px solid var(--line);margin-top:-1px}
.tabs>:checked+label+.panel{display:block}
`
  .trim()
  .replaceAll('\n', '')

/** Tabs without a script: radio buttons, each before its label and its panel. `id` is unique on the page. */
export function tabsHtml(id: string, label: string, tabs: readonly Tab[]): string {
  const parts = tabs.map(({ title, html }, at) => {
    const own = `${id}-${at}`
    return (
      `<input type="radio" name="${id}" id="${own}"${at === 0 ? ' checked' : ''}>` +
      `<label for="${own}">${escapeHtml(title)}</label><div class="panel">${html}</div>`
    )
  })
  return `<fieldset class="tabs"><legend>${escapeHtml(label)}</legend>${parts.join('')}</fieldset>`
}
