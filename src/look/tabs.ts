import { escapeHtml } from './text.ts'

interface Tab {
  readonly title: string
  readonly html: string
}

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
