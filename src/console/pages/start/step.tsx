import { Badge, Button, Group, Paper, Stack, Title } from '@mantine/core'
import { type ReactNode, useEffect, useRef } from 'react'
import { useText } from '../../lib/language.ts'
import { LongText } from '../../parts/text.tsx'
import { texts } from './text.ts'

export const stepNames = ['vendor', 'models', 'answer'] as const
export type StepName = (typeof stepNames)[number]

interface StepProps {
  readonly number: number
  readonly title: string
  readonly state: 'done' | 'open' | 'later'
  /** What was done, in a line. */
  readonly summary?: string | undefined
  /** Opens a step that is done; absent: it can't be done again. */
  readonly reopen?: { readonly label: string; readonly press: () => void } | undefined
  readonly children: ReactNode
}

/** One of the three steps: open, or a line of what was done or comes later. */
export function Step({ number, title, state, summary, reopen, children }: StepProps) {
  const text = useText(texts)
  const isOpen = state === 'open'
  const heading = useRef<HTMLHeadingElement>(null)
  const wasOpen = useRef(isOpen)
  useEffect(() => {
    // Who goes on by keyboard or screen reader stands at the next step.
    if (isOpen && !wasOpen.current) heading.current?.focus()
    wasOpen.current = isOpen
  }, [isOpen])
  return (
    <Paper withBorder p="md" component="section" aria-label={title} miw={0}>
      <Stack>
        <Group justify="space-between" wrap="nowrap" align="flex-start">
          <Group gap="sm" wrap="nowrap" miw={0}>
            <Badge
              circle
              size="lg"
              variant={isOpen ? 'filled' : 'default'}
              aria-hidden={state === 'done'}
            >
              {state === 'done' ? '✓' : number}
            </Badge>
            <div style={{ minWidth: 0 }}>
              <Title
                order={2}
                size="h4"
                ref={heading}
                tabIndex={-1}
                c={state === 'later' ? 'dimmed' : undefined}
              >
                {title}
                {state === 'done' && <span className="visually-hidden"> {text.done}</span>}
              </Title>
              {state === 'done' && summary && <LongText c="dimmed">{summary}</LongText>}
            </div>
          </Group>
          {state === 'done' && reopen && (
            <Button size="compact-sm" variant="default" onClick={reopen.press}>
              {reopen.label}
            </Button>
          )}
        </Group>
        {isOpen && children}
      </Stack>
    </Paper>
  )
}
