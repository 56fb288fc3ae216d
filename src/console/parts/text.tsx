import {
  Anchor,
  type AnchorProps,
  Button,
  type ButtonProps,
  Card,
  Code as CodeText,
  CopyButton,
  Group,
  Text,
  type TextProps,
} from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import { type ComponentProps, Fragment, type ReactNode } from 'react'
import { formatUsd, shortMoney } from '../../look/money.ts'
import { formatDay, formatTime } from '../lib/format.ts'
import { bilingual, useLanguage, useText } from '../lib/language.ts'

type Props = TextProps & Omit<ComponentProps<'p'>, keyof TextProps>

/** What explains something. */
export const Hint = (props: Props) => <Text size="sm" c="dimmed" {...props} />

/** What stands beside something in small letters. */
export const SmallHint = (props: Props) => <Text size="xs" c="dimmed" {...props} />

/** A text of any length: names of strangers break anywhere. */
export const LongText = (props: Props) => <Text size="sm" className="cut" {...props} />

/** The class of a name: one of usual length is not broken at its hyphens in a wide window. */
export const nameClass = (name: string) => (widthOf(name) <= 26 ? 'cut roomy' : 'cut')

/** In letters: a Chinese sign is as wide as two. */
const widthOf = (name: string) => name.replace(/[^ -~]/g, '  ').length

type LinkProps<Own> = Own & Omit<ComponentProps<'a'>, keyof Own>

/** A link to a page of the console. */
export const AnchorLink = createLink((props: LinkProps<AnchorProps>) => <Anchor {...props} />)

/** The same within a text: underlined, in its size. */
export const TextLink = createLink((props: LinkProps<AnchorProps>) => (
  <Anchor inherit underline="always" {...props} />
))

/** A button that leads to a page of the console. */
export const ButtonLink = createLink((props: LinkProps<ButtonProps>) => (
  <Button component="a" {...props} />
))

interface MoneyProps {
  readonly usd: string
  /** In a `Figure`: a long amount is written smaller, so that it stands in one line. */
  readonly fits?: boolean
  /** Shows all its decimals: a price, which people multiply. */
  readonly isExact?: boolean
  /** A change of a balance: what is added has a plus, and what is taken away is nothing to be alarmed at. */
  readonly isChange?: boolean
}

/**
 * An amount in USD, as the API writes it, in short; exact on hover. Never broken: halves would read as two
 * amounts. In tables the points stand below each other.
 */
export function Money({ usd, fits = false, isExact = false, isChange = false }: MoneyProps) {
  const exact = formatUsd(usd)
  const shown = isExact ? exact : shortMoney(usd)
  const [whole = '', decimals = ''] = shown.split('.')
  const isLess = usd.startsWith('-')
  return (
    <Text
      span
      inherit
      className="money"
      title={exact === shown ? undefined : exact}
      c={isChange ? (isLess ? undefined : 'green') : isLess ? 'red' : undefined}
      style={fits ? { fontSize: fittingSize(shown.length) } : undefined}
    >
      {isChange && !isLess && '+'}
      {whole}
      <span>.{decimals}</span>
    </Text>
  )
}

interface SumsProps {
  readonly in: (...usd: string[]) => string
  readonly usd: readonly string[]
}

/** A sentence with amounts in USD, as the API writes them: in short, each exact on hover. */
export function Sums({ in: sentence, usd }: SumsProps) {
  // Characters that occur in no text mark the places of the amounts.
  const marks = usd.map((_, place) => String.fromCharCode(0xe000 + place))
  const pieces = sentence(...marks).split(/([\ue000-\uf8ff])/)
  return pieces.map((piece) => {
    const amount = usd[marks.indexOf(piece)]
    if (amount === undefined) return piece
    const [exact, shown] = [formatUsd(amount), shortMoney(amount)]
    return (
      <span key={piece} title={exact === shown ? undefined : exact}>
        {shown}
      </span>
    )
  })
}

/** How wide a bold figure is at most, in parts of its size: signs between figures are narrower. */
const widthOfSign = 0.7

/** The usual size, or the one at which so many signs fill the figure that they stand in. */
const fittingSize = (signs: number) => `min(1em, calc(100cqi / ${signs * widthOfSign}))`

/** A time of the API (ISO 8601, UTC) as local time; UTC on hover. */
export function Time({ at }: { readonly at: string }) {
  const local = formatTime(new Date(at), useLanguage().language)
  return (
    <time dateTime={at} title={at.replace('T', ' ').replace(/(\.\d+)?Z$/, ' UTC')}>
      {/* Day and time of day may stand below each other, but neither is broken. */}
      {partsOf(local).map((part, at) => (
        <Fragment key={part}>
          {at > 0 && ' '}
          <span style={{ whiteSpace: 'nowrap' }}>{part}</span>
        </Fragment>
      ))}
    </time>
  )
}

/** A day of the API, `2026-11-22`, as people write it. */
export function Day({ of }: { readonly of: string }) {
  return (
    <time dateTime={of} title={`${of} UTC`} style={{ whiteSpace: 'nowrap' }}>
      {formatDay(of, useLanguage().language)}
    </time>
  )
}

/** `Nov 22,` and `4:40:01 PM`; `11月22日` and `16:40:01`. */
function partsOf(local: string): readonly string[] {
  const time = local.search(/\d{1,2}:\d\d/)
  return [local.slice(0, time).trim(), local.slice(time)].filter((part) => part !== '')
}

const texts = bilingual({ copy: ['Copy', '复制'], copied: ['Copied', '已复制'] })

interface CopyProps extends ButtonProps {
  readonly value: string
  /** What the button says; usually `Copy`. */
  readonly label?: string
}

/** Copies a text, and says that it did. */
export function Copy({ value, label, ...look }: CopyProps) {
  const text = useText(texts)
  return (
    <CopyButton value={value}>
      {({ copied, copy }) => (
        <Button size="xs" variant="default" onClick={copy} aria-live="polite" {...look}>
          {copied ? text.copied : (label ?? text.copy)}
        </Button>
      )}
    </CopyButton>
  )
}

interface CodeProps {
  readonly children: string
  readonly label: string
  /** Its lines are kept as they are, and scroll: broken ones mean something else. */
  readonly isProgram?: boolean
}

/** Text to be copied: a key, a command, a file. */
export function Code({ children, label, isProgram = false }: CodeProps) {
  return (
    <Group align="flex-start" gap="xs">
      <CodeText
        block
        flex="1 1 18rem"
        miw={0}
        maw="100%"
        className={isProgram ? undefined : 'cut'}
        tabIndex={0}
        aria-label={label}
        style={isProgram ? { overflowX: 'auto' } : { whiteSpace: 'pre-wrap' }}
      >
        {children}
      </CodeText>
      <Copy value={children} />
    </Group>
  )
}

/** What stands between a label and what it labels: Chinese has a sign of its own, without a space. */
export const useColon = (): string => (useLanguage().language === 'zh' ? '：' : ': ')

/** The same as a part of a text. */
export const Colon = () => useColon()

interface FigureProps {
  readonly label: string
  readonly children?: ReactNode
  /** An amount, instead of children. */
  readonly usd?: string
  /** What it means, or what to do. */
  readonly hint?: ReactNode
}

/** One figure that is looked at first. */
export const Figure = ({ label, children, usd, hint }: FigureProps) => (
  <Card withBorder padding="sm" component="section" aria-label={label}>
    <Hint>{label}</Hint>
    <Text
      fz={{ base: 'sm', xs: 'md', lg: 'lg' }}
      fw={600}
      component="div"
      className="cut container"
    >
      {usd === undefined ? children : <Money usd={usd} fits />}
    </Text>
    {hint && (
      <Text size="xs" c="dimmed" component="div">
        {hint}
      </Text>
    )}
  </Card>
)

interface LabelledProps extends TextProps {
  readonly label: string
  readonly children: ReactNode
}

export const Labelled = ({ label, children, ...look }: LabelledProps) => (
  <Text size="sm" {...look}>
    {label}
    <Colon />
    {children}
  </Text>
)

/** Facts with their names: each stands once. */
export const FactList = ({ facts }: { facts: readonly (readonly [string, ReactNode])[] }) =>
  facts.map(([name, value]) => (
    <div key={name}>
      <Text component="dt" size="sm" c="dimmed">
        {name}
      </Text>
      <Text component="dd" size="sm" m={0} className="cut">
        {value}
      </Text>
    </div>
  ))
