import { NumberInput, SimpleGrid } from '@mantine/core'
import { type Texts, useText } from '../lib/language.tsx'

const en = {
  rpm: 'Requests a minute',
  tpm: 'LLM tokens a minute',
  concurrency: 'Requests at once',
  unlimited: 'no limit',
}

const texts: Texts<typeof en> = {
  en,
  zh: {
    rpm: '每分钟请求数',
    tpm: '每分钟 Token 数',
    concurrency: '并发请求数',
    unlimited: '不限',
  },
}

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
