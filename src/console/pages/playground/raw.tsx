import { Accordion, Stack, Text } from '@mantine/core'
import { useText } from '../../lib/language.tsx'
import { useMe } from '../../lib/use-me.ts'
import { Code } from '../../parts/code.tsx'
import { curlOf } from './exchange.ts'
import { texts } from './text.ts'
import type { Exchange } from './use-ask.ts'

/** What went over the wire: the question as a client sends it, and the answer as it came. */
export function RawExchange({ exchange }: { readonly exchange: Exchange }) {
  const text = useText(texts)
  const address = useMe().data?.site.base_url ?? location.origin
  const { question, status, headers, raw, isRawCut } = exchange
  const head = [`HTTP ${status}`, ...headers.map(([name, value]) => `${name}: ${value}`)]
  return (
    <Accordion variant="contained">
      <Accordion.Item value="raw">
        <Accordion.Control>{text.raw}</Accordion.Control>
        <Accordion.Panel>
          <Stack gap="xs">
            <Text size="sm" fw={600}>
              {text.request}
            </Text>
            <Code label={text.request}>{curlOf(question, address)}</Code>
            <Text size="xs" c="dimmed">
              {text.requestHint}
            </Text>
            {status !== null && (
              <>
                <Text size="sm" fw={600}>
                  {text.response}
                </Text>
                <Code label={text.response}>{`${head.join('\n')}\n\n${raw}`}</Code>
                {isRawCut && (
                  <Text size="xs" c="dimmed">
                    {text.cut}
                  </Text>
                )}
              </>
            )}
          </Stack>
        </Accordion.Panel>
      </Accordion.Item>
    </Accordion>
  )
}
