import { NumberInput, SimpleGrid } from '@mantine/core'
import { useText } from '../lib/language.tsx'
import { bilingual } from '../lib/texts.ts'

const texts = bilingual({
  rpm: ['Requests a minute', '每分钟请求数'],
  tpm: ['LLM tokens a minute', '每分钟 Token 数'],
  concurrency: ['Requests at once', '并发请求数'],
  unlimited: ['no limit', '不限'],
})

interface LimitFieldsProps {
  readonly inputProps: (path: string) => object
}

/** The three limits of whatever has them; a form keeps them under `limits`. */
export function LimitFields({ inputProps }: LimitFieldsProps) {
  const text = useText(texts)
  return (
    <SimpleGrid type="container" cols={{ base: 1, '420px': 3 }}>
      {(['rpm', 'tpm', 'concurrency'] as const).map((name) => (
        <NumberInput
          key={name}
          label={text[name]}
          placeholder={text.unlimited}
          min={1}
          allowDecimal={false}
          thousandSeparator=" "
          hideControls
          {...inputProps(`limits.${name}`)}
        />
      ))}
    </SimpleGrid>
  )
}
