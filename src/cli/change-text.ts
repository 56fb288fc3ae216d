import type { Change, HeldBack, Plan } from '../app/config/diff.ts'
import { heldBackText, vouchCommand } from '../app/config/held-back.ts'
import { printable } from '../lib/table.ts'

const signs = { create: '+', update: '~', remove: '-' } as const

/** A plan for people: a line for each thing, and below it its changes. */
export function describePlan({ changes, heldBack }: Plan): readonly string[] {
  return [...changes.flatMap(describeChange), ...heldBack.map(describeHeldBack)]
}

function describeChange({ action, kind, name, fields }: Change): string[] {
  const widest = Math.max(0, ...fields.map(({ field }) => field.length))
  return [
    printable(`${signs[action]} ${kind} ${name}`),
    ...fields.map(({ field, from, to }) => {
      const value = action === 'create' ? show(to) : `${show(from)} → ${show(to)}`
      return printable(`    ${field.padEnd(widest)}  ${value}`)
    }),
  ]
}

const describeHeldBack = (held: HeldBack) => printable(`! ${heldBackText(held)}`)

const show = (value: string | null) => (value === null || value === '' ? '(none)' : value)

/** `2 to create, 1 to update, 0 to remove`, or what was done. */
export function countChanges({ changes }: Plan, tense: 'future' | 'past'): string {
  const count = (action: Change['action']) => changes.filter((c) => c.action === action).length
  const words = (action: Change['action'], done: string) =>
    tense === 'past' ? `${count(action)} ${done}` : `${count(action)} to ${action}`
  return [words('create', 'created'), words('update', 'updated'), words('remove', 'removed')].join(
    ', ',
  )
}

export const planReport = ({ changes, heldBack }: Plan, applied: boolean) => ({
  applied,
  changes,
  held_back: heldBack.map(({ account, fields }) => ({
    account,
    fields,
    command: vouchCommand(account),
  })),
})
