import type { Group } from '../../catalog/catalog.ts'
import { nearest } from '../../lib/suggest.ts'
import type { Facts } from './facts.ts'
import type { Step } from './schema.ts'
import { type OpenStep, openStep } from './step.ts'

const mostNames = 5
const link = '/plaza'

/** 3. Does the group have a model of that name? */
export function modelStep(facts: Facts): Step {
  const { request, group } = facts
  const { model, cause } = request
  const step = openStep('model')
  if (model === null) {
    step.note('model_not_named')
    return step.done({ isUnknown: true, link })
  }
  if (group === undefined) {
    step.problem('group_gone', { group: request.group })
    step.way('try_other_group')
    return step.done({ explaining: isGroups(cause) ? ['group_gone'] : [], link })
  }
  if (group === 'closed') {
    step.problem('group_closed', { group: request.group })
    step.way('try_other_group')
    return step.done({ explaining: cause === 'group_disabled' ? ['group_closed'] : [], link })
  }
  const named = { model, group: group.name }
  const offer = group.offers.get(model)
  if (offer === undefined) {
    step.problem('model_not_in_group', named)
    lookElsewhere(facts, group, model, step)
    const explaining = cause === 'model_not_found' ? (['model_not_in_group'] as const) : []
    return step.done({ explaining, link })
  }
  if (offer.candidates.length === 0) {
    step.problem('model_no_channel', named)
    step.way('try_other_group')
    step.way('ask_operator')
    return step.done({ explaining: cause === 'no_channel' ? ['model_no_channel'] : [], link })
  }
  step.note(cause === 'model_not_found' ? 'model_there_by_now' : 'model_in_group', named)
  return step.done({ link })
}

const isGroups = (cause: string | null) => cause === 'group_disabled' || cause === 'model_not_found'

/** Near names in the group, and groups that have this very model. */
function lookElsewhere(facts: Facts, group: Group, model: string, step: OpenStep): void {
  const { usable, request, ownGroups, showsGroups } = facts
  const names = nearest(model, [...group.offers.keys()], mostNames)
  const [name] = names
  if (name !== undefined) {
    step.note('model_nearest', { group: request.group, names: [...names] })
    step.way('use_model', { name })
  }
  const having = usable
    .filter(({ offers }) => (offers.get(model)?.candidates.length ?? 0) > 0)
    .map((one) => one.name)
    .sort()
  const own = having.filter((one) => ownGroups.has(one)).slice(0, mostNames)
  const others = having.filter((one) => !ownGroups.has(one)).slice(0, mostNames)
  if (own.length > 0) step.note('model_in_own_groups', { model, groups: own })
  if (showsGroups && others.length > 0) {
    step.note('model_in_other_groups', { model, groups: others })
  }
  const [choice] = showsGroups ? [...own, ...others] : own
  if (choice === undefined) step.note('model_nowhere', { model })
  else step.way('change_group', { group: choice })
  step.way('see_models')
}
