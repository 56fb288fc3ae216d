import { Button } from '@mantine/core'
import { bilingual, useText } from '../lib/language.ts'
import { MenuButton } from './menu-button.tsx'

interface ExportMenuProps {
  /** Where the file is; its form is added to the query. */
  readonly address: string
  readonly hint?: string
}

/** Takes what a list shows along as a file. */
export function ExportMenu({ address, hint }: ExportMenuProps) {
  const text = useText(texts)
  const hrefOf = (format: 'csv' | 'jsonl') =>
    `${address}${address.includes('?') ? '&' : '?'}format=${format}`
  return (
    <MenuButton button={<Button variant="default">{text.exportAs}</Button>}>
      {(Menu) => (
        <>
          <Menu.Item component="a" href={hrefOf('csv')} download>
            {text.asCsv}
          </Menu.Item>
          <Menu.Item component="a" href={hrefOf('jsonl')} download>
            {text.asJsonl}
          </Menu.Item>
          {hint && <Menu.Label>{hint}</Menu.Label>}
        </>
      )}
    </MenuButton>
  )
}

const texts = bilingual({
  exportAs: ['Export', '导出'],
  asCsv: ['CSV, for spreadsheets', 'CSV（用于电子表格）'],
  asJsonl: ['JSON lines, for programs', 'JSON Lines（用于程序）'],
})
