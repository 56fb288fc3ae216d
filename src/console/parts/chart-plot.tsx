import { useEffect, useRef } from 'react'
import uPlot from 'uplot'
import { colourOf, dashOf, type Scheme } from '../lib/colours.ts'
import { type ChartKind, type ChartSeries, plotted } from './chart-data.ts'

interface ChartPlotProps {
  readonly kind: ChartKind
  readonly series: readonly ChartSeries[]
  readonly labels: readonly string[]
  readonly scheme: Scheme
  /** What stands beside the marks of the scale. */
  readonly scale: (heights: readonly number[]) => readonly string[]
  /** Where the pointer is; null: nowhere. */
  readonly onPoint: (at: { readonly index: number; readonly left: number } | null) => void
  /** A column was clicked at this height. */
  readonly onPick: (index: number, height: number) => void
}

const height = 200
/** A rim would take most of a column that has less room than this. */
const narrowPx = 8
const steps = [1, 2, 3, 4, 6, 7, 10, 14, 30, 60, 90]

/** The drawing itself; loaded when the first chart is shown. */
export function ChartPlot(props: ChartPlotProps) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = place.current
    if (!element) return
    const columns = plotted(props.series, props.kind)
    const places = props.labels.map((_, index) => index)
    // A bar of no height would still draw its rim on the axis.
    const drawn = ({ heights }: (typeof columns)[number]) =>
      props.kind === 'bars' ? heights.map((height) => height || null) : heights
    const data: uPlot.AlignedData = [places, ...columns.map(drawn)]
    const plot = new uPlot(optionsOf(props, element), data, element)
    const follow = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }))
    follow.observe(element)
    plot.over.style.cursor = 'pointer'
    plot.over.addEventListener('click', () => {
      const { idx, top } = plot.cursor
      if (typeof idx === 'number') props.onPick(idx, plot.posToVal(top ?? 0, 'y'))
    })
    return () => {
      follow.disconnect()
      plot.destroy()
    }
  }, [props])
  return <div ref={place} style={{ height, overflow: 'hidden' }} aria-hidden />
}

function optionsOf(props: ChartPlotProps, element: HTMLElement): uPlot.Options {
  const { kind, labels, scheme, scale, onPoint } = props
  const style = getComputedStyle(element)
  const named = (name: string) => style.getPropertyValue(`--mantine-color-${name}`)
  const last = labels.length - 1
  const isNarrow = element.clientWidth / labels.length < narrowPx
  const axis = {
    stroke: named('dimmed'),
    font: `12px ${style.fontFamily}`,
    grid: { stroke: named('default-border'), width: 1 },
    ticks: { show: false },
  }
  return {
    width: element.clientWidth,
    height,
    padding: [12, 8, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: kind === 'lines' } },
    scales: {
      x: { time: false, range: [-0.5, last + 0.5] },
      y: { range: (_plot, _least, most) => [0, most > 0 ? most * 1.06 : 1] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 34,
        gap: 10,
        incrs: steps,
        space: 64,
        values: (_plot, splits) => splits.map((split) => labels[split] ?? ''),
      },
      { ...axis, size: 64, values: (_plot, splits) => [...scale(splits)] },
    ],
    series: [
      {},
      ...plotted(props.series, kind).map(({ slot }) =>
        drawn(kind, slot, scheme, isNarrow ? undefined : named('body')),
      ),
    ],
    hooks: {
      drawClear: [(plot) => shade(plot, last, named('default-border'))],
      setCursor: [
        ({ cursor }) =>
          onPoint(
            cursor.idx === null || cursor.idx === undefined
              ? null
              : { index: cursor.idx, left: cursor.left ?? 0 },
          ),
      ],
    },
  }
}

function drawn(kind: ChartKind, slot: number, scheme: Scheme, rim?: string): uPlot.Series {
  const colour = colourOf(slot, scheme)
  if (kind === 'lines') {
    const points = { show: true, size: 5, fill: colour, width: 1 }
    return { stroke: colour, width: 2, dash: [...dashOf(slot)], spanGaps: false, points }
  }
  const paths = uPlot.paths.bars?.({ size: [0.75, 48] })
  // A rim in the colour of the page keeps neighbours apart that look alike to somebody.
  const edge = rim ? { stroke: rim, width: 1 } : { width: 0 }
  return { fill: colour, ...edge, points: { show: false }, ...(paths && { paths }) }
}

/** The last column is not over. */
function shade(plot: uPlot, last: number, colour: string): void {
  const left = plot.valToPos(last - 0.5, 'x', true)
  const right = plot.valToPos(last + 0.5, 'x', true)
  plot.ctx.save()
  plot.ctx.globalAlpha = 0.5
  plot.ctx.fillStyle = colour
  plot.ctx.fillRect(left, plot.bbox.top, right - left, plot.bbox.height)
  plot.ctx.restore()
}
