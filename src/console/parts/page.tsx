import {
  Alert,
  Button,
  Card,
  Center,
  Group,
  Paper,
  Skeleton,
  Stack,
  Text,
  Title,
} from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { Fragment, type ReactNode, useEffect } from 'react'
import { type Called, CallFailed, useCall, useMe } from '../lib/api.ts'
import { failureWords } from '../lib/failure-words.ts'
import { bilingual, commonText, useLanguage, useText } from '../lib/language.ts'
import { AnchorLink, ButtonLink, Hint, LongText } from './text.tsx'

interface PageFrameProps {
  readonly title: string
  readonly description?: ReactNode
  readonly actions?: ReactNode
  /** The list that the page belongs to. */
  readonly up?: Up | undefined
  readonly children: ReactNode
}

interface Up {
  readonly to: string
  readonly label: string
}

/** A page's title, what it is for, what can be done, and its content. */
export function PageFrame({ title, description, actions, up, children }: PageFrameProps) {
  const site = useMe().data?.site.name
  useEffect(() => {
    document.title = site ? `${title} · ${site}` : title
  }, [title, site])
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="flex-start">
        <Stack gap={4} maw={720}>
          {up && (
            <AnchorLink size="sm" c="dimmed" w="fit-content" to={up.to}>
              <span aria-hidden>← </span>
              {up.label}
            </AnchorLink>
          )}
          <Title order={1} size="h2" className="cut">
            {title}
          </Title>
          {description && <Text c="dimmed">{description}</Text>}
        </Stack>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  )
}

interface SectionProps {
  readonly title: string
  readonly hint?: string
  readonly children: ReactNode
}

/** A part of a page, with its title. */
export const Section = ({ title, hint, children }: SectionProps) => (
  <Paper withBorder p="md" component="section" miw={0}>
    <Stack>
      <Title order={2} size="h4">
        {title}
      </Title>
      {hint && <Hint maw={720}>{hint}</Hint>}
      {children}
    </Stack>
  </Paper>
)

interface TitledCardProps {
  readonly title: string
  readonly size?: 'h3' | 'h5'
  readonly children: ReactNode
}

/** A part of a page in a card, which its title names. */
export const TitledCard = ({ title, size = 'h5', children }: TitledCardProps) => (
  <Card withBorder padding="md" component="section" aria-label={title}>
    <Title order={2} size={size} mb="xs">
      {title}
    </Title>
    {children}
  </Card>
)

/** An error in words, with the way out. Announced to screen readers. */
export function ErrorNotice({ error, retry }: { error: unknown; retry?: () => void }) {
  const common = useText(commonText)
  const { title, words, isForeign } = failureWords(error, useLanguage().language)
  return (
    <Alert color="red" title={title} role="alert" my="md">
      <Group justify="space-between">
        <LongText>{isForeign ? <span lang="en">{words}</span> : words}</LongText>
        {retry && !isGone(error) && (
          <Button size="xs" variant="light" color="red" onClick={retry}>
            {common.retry}
          </Button>
        )}
      </Group>
    </Alert>
  )
}

/** What is not there is not there the next time either. */
const isGone = (error: unknown) => error instanceof CallFailed && error.reason === 'not_found'

interface LoadedProps<Data> {
  readonly query: Pick<UseQueryResult<Data>, 'data' | 'error' | 'refetch'>
  readonly waiting?: ReactNode
  readonly children: (data: Data) => ReactNode
}

/** What a query has found, and that it failed. */
export const Loaded = <Data,>({ query, waiting, children }: LoadedProps<Data>) => (
  <>
    {query.error && <ErrorNotice error={query.error} retry={() => void query.refetch()} />}
    {query.data === undefined ? !query.error && waiting : children(query.data)}
  </>
)

interface ByIdProps<Data> {
  readonly name: string
  /** The list that it is in; names the page until it is known. */
  readonly up: Up
  readonly ask: (id: string) => Promise<Called<Data>>
  readonly refetchInterval?: number
  readonly children: (data: Data) => ReactNode
}

/** Shows what the address names by its id, a whole number: others lead nowhere. */
export function ById<Data>(props: ByIdProps<Data>) {
  const { id = '' }: { id?: string } = useParams({ strict: false })
  return /^[1-9]\d{0,14}$/.test(id) ? <Found {...props} id={id} /> : <NotFound />
}

function Found<Data>(props: ByIdProps<Data> & { readonly id: string }) {
  const { id, name, up, ask, refetchInterval, children } = props
  const query = useCall([name, id], () => ask(id), { refetchInterval })
  const notice = query.error && (
    <ErrorNotice error={query.error} retry={() => void query.refetch()} />
  )
  if (query.data === undefined) {
    return (
      <PageFrame title={up.label} up={up}>
        {notice ?? <Skeleton height={320} aria-busy />}
      </PageFrame>
    )
  }
  return (
    <Fragment key={id}>
      {notice}
      {children(query.data)}
    </Fragment>
  )
}

interface EmptyProps {
  readonly text: {
    readonly empty: string
    readonly emptyHint?: string
    readonly noneFound?: string
    readonly noneFoundHint?: string
  }
  readonly action?: ReactNode
  /** Takes the filters of the list away; false: it has none. */
  readonly showAll?: false | (() => void)
}

/** A list without items: says so, and leads on. */
export function Empty({ text, action, showAll }: EmptyProps) {
  const common = useText(commonText)
  const hint = showAll ? text.noneFoundHint : text.emptyHint
  return (
    <Center py="xl">
      <Stack align="center" gap="xs" maw={480}>
        <Text fw={600}>{(showAll && text.noneFound) || text.empty}</Text>
        {hint && (
          <Text c="dimmed" ta="center">
            {hint}
          </Text>
        )}
        {showAll ? (
          <Button variant="default" onClick={showAll}>
            {common.showAll}
          </Button>
        ) : (
          action
        )}
      </Stack>
    </Center>
  )
}

const fileText = bilingual({
  inFile: [
    'tollgate.yaml sets this: a change here lasts until the file is applied again, at each start and reload. To keep a change, make it in the file as well.',
    'tollgate.yaml 中写有此项：在这里的修改只保持到该文件下次被应用（每次启动和重新加载时）。要长期保留，请同时修改该文件。',
  ],
  byOperator: [
    'The operator of this gateway has set this up: what you change here may be taken back at the next restart. To keep a change, ask them.',
    '此项由网关管理员设定：在这里的修改可能在网关下次重启后被还原。要长期保留，请联系管理员。',
  ],
})

interface WarningsProps {
  readonly of: {
    readonly in_file: boolean
    readonly warnings?: readonly { readonly field: string; readonly message: string }[]
  }
}

/** What whoever changes something is warned of: that the file names it, and what is wrong with it. */
export function Warnings({ of: { in_file, warnings = [] } }: WarningsProps) {
  const { inFile, byOperator } = useText(fileText)
  const isAdmin = useMe().data?.role === 'admin'
  return (
    <>
      {in_file && <Alert color="yellow">{isAdmin ? inFile : byOperator}</Alert>}
      {warnings.map(({ field, message }) => (
        <Alert key={field} color="yellow">
          {message}
        </Alert>
      ))}
    </>
  )
}

const faultTexts = bilingual({
  title: ['This page failed', '此页面出错了'],
  hint: [
    'It cannot be shown. Reload it; if that does not help, send the text below to the operator of this gateway.',
    '页面无法显示。请重新加载；如果仍然出错，请把下面的内容告诉网关管理员。',
  ],
  again: ['Reload', '重新加载'],
})

/** Stands where a page has failed by a fault of its own. */
export function Fault({ error }: { readonly error: unknown }) {
  const text = useText(faultTexts)
  return (
    <Center mih="60vh">
      <Stack align="center" p="md" maw={560} ta="center">
        <Title order={1}>{text.title}</Title>
        <Text>{text.hint}</Text>
        <LongText ff="monospace" lang="en">
          {String(error)}
        </LongText>
        <Button onClick={() => location.reload()}>{text.again}</Button>
        <AnchorLink to="/">{text.back}</AnchorLink>
      </Stack>
    </Center>
  )
}

const notFoundTexts = bilingual({
  title: ['There is no such page', '页面不存在'],
  hint: [
    '{address} may be mistyped, or the page was moved. The menu leads to all that there is.',
    '{address} 可能有误，或页面已移动。可从菜单进入其他页面。',
  ],
})

/** For addresses that lead nowhere. */
export function NotFound() {
  const text = useText(notFoundTexts)
  return (
    <Center mih="50vh">
      <Stack align="center" p="md" ta="center">
        <Title order={1} size="h2">
          {text.title}
        </Title>
        <Text c="dimmed" className="cut">
          {text.hint(location.pathname.slice(0, 200))}
        </Text>
        <ButtonLink variant="default" to="/">
          {text.back}
        </ButtonLink>
      </Stack>
    </Center>
  )
}
