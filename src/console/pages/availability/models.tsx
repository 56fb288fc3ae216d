import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { StatusDocument, StatusGroup } from '../../../site/status/schema.ts'
import { read } from '../../lib/api.ts'
import { formatCount, formatDuration, formatRatio } from '../../lib/format.ts'
import { useLanguage, useText } from '../../lib/language.tsx'
import { ErrorNotice } from '../../parts/notices.tsx'
import { type Column, DataTable } from '../../parts/table.tsx'
import { Hint } from '../../parts/text.tsx'
import { texts } from './text.ts'

type Model = StatusGroup['models'][number]

/** The models of a group; where there are very many, those asked for most until one wants all. */
export function Models({ group }: { readonly group: StatusGroup }) {
  const text = useText(texts)
  const { language } = useLanguage()
  const [isWhole, setIsWhole] = useState(false)
  const whole = useQuery({
    queryKey: ['status', group.name],
    queryFn: () => readStatus(group.name),
    enabled: isWhole,
  })
  const models = whole.data?.groups[0]?.models ?? group.models
  if (models.length === 0) {
    return <Hint>{text.noModels}</Hint>
  }
  const left = group.models_total - models.length
  return (
    <>
      {whole.error && <ErrorNotice error={whole.error} />}
      <ModelTable
        models={models}
        caption={`${group.name}: ${text.models(String(models.length))}`}
      />
      {left > 0 && (
        <Button
          variant="default"
          size="xs"
          loading={isWhole && whole.isPending}
          onClick={() => setIsWhole(true)}
        >
          {text.allModels(formatCount(group.models_total, language))}
        </Button>
      )}
    </>
  )
}

function ModelTable({ models, caption }: { models: readonly Model[]; caption: string }) {
  const text = useText(texts)
  const ratio = ({ requests, ratio }: Model['availability']['1h']) => (
    <span title={text.requests(String(requests))}>{formatRatio(ratio, text.no_data)}</span>
  )
  const time = (ms: number | null) => (ms === null ? text.no_data : formatDuration(ms))
  const figure = (label: string, render: Column<Model>['render']) => ({
    ...{ label, render, isFigure: true, className: 'figure' },
  })
  const columns: readonly Column<Model>[] = [
    { label: text.model, render: ({ name }) => name, className: 'cut' },
    figure(text.state, ({ state }) => text[state]),
    figure(text.hour, ({ availability }) => ratio(availability['1h'])),
    figure(text.day, ({ availability }) => ratio(availability['24h'])),
    figure(text.week, ({ availability }) => ratio(availability['7d'])),
    figure(text.quarter, ({ availability }) => ratio(availability['90d'])),
    figure(text.p50, ({ first_byte_ms }) => time(first_byte_ms.p50)),
    figure(text.p95, ({ first_byte_ms }) => time(first_byte_ms.p95)),
    figure(text.speed, ({ tokens_per_second: speed }) =>
      speed === null ? text.no_data : text.perSecond(String(Math.round(speed))),
    ),
  ]
  return <DataTable items={models} keyOf={({ name }) => name} {...{ columns, caption }} fz="sm" />
}

/** The status, public and own: of all groups, or of one with all its models. */
export async function readStatus(group?: string): Promise<StatusDocument['data']> {
  const query = group === undefined ? '' : `?group=${encodeURIComponent(group)}`
  const at = async (path: string) => ((await read(path + query)) as StatusDocument).data
  const own = await at('/api/v1/groups/status')
  if (group !== undefined && own.groups.length > 0) return own
  const shown = await at('/api/v1/status')
  return { ...shown, groups: [...shown.groups, ...own.groups] }
}
