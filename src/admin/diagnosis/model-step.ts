import type { Group } from '../../catalog/catalog.ts'
import { nearest } from '../../lib/suggest.ts'
import type { Facts } from './facts.ts'
import { type OpenStep, openStep } from './open-step.ts'
import type { NoteWord, Step } from './schema.ts'

const mostNames = 5
const plaza = '/plaza'

/** 3. Did the group have a model of that name, and a channel for it? */
export function modelStep(facts: Facts): Step {
  const { request, group, attempts } = facts
  const { model, cause } = request
  const step = openStep('model')
  const done = (...explaining: readonly NoteWord[]) => step.done({ explaining, link: plaza })
  if (model === null) {
    step.note('model_not_named')
    return step.done({ isUnknown: true, link: plaza })
  }
  if (group === undefined || group === 'closed') {
    const word = group === undefined ? 'group_gone' : 'group_closed'
    step.problem(word, { group: request.group })
    step.way('try_other_group')
    const isMissing = group === undefined && cause === 'model_not_found'
    return cause === 'group_disabled' || isMissing ? done(word) : done()
  }
  const named = { model, group: group.name }
  const offer = group.offers.get(model)
  const wasMissing = cause === 'model_not_found'
  const wasOff = cause === 'no_channel' && attempts.length === 0
  // It was judged by a price: the group had the model.
  const wasThere = request.priceId !== null
  if (offer === undefined) {
    if (wasThere) step.problemNow('model_gone_since', named)
    else step.problem('model_not_in_group', named)
    lookElsewhere(facts, group, model, step)
    return wasMissing ? done('model_not_in_group') : done()
  }
  if (wasMissing) {
    step.problem('model_not_in_group_then', named)
    step.note('model_there_by_now', named)
    step.way('retry')
    return done('model_not_in_group_then')
  }
  if (offer.candidates.length === 0) {
    if (attempts.length > 0) step.note('model_no_channel', named)
    else step.problem('model_no_channel', named)
    step.way('try_other_group')
    step.way('ask_operator')
    return wasOff ? done('model_no_channel') : done()
  }
  if (wasOff) {
    step.problem('model_no_channel_then', named)
    step.note('model_there_by_now', named)
    step.way('retry')
    return done('model_no_channel_then')
  }
  step.note('model_in_group', named)
  const isPriced = offer.price.id === request.priceId
  const isSame = isPriced && group.multiplierMillionths === request.multiplierMillionths
  if (wasThere && !isSame) step.note('price_changed_since', named)
  return done()
}

/** Similar names in the group, and groups that have exactly this model. */
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
