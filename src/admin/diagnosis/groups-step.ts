import { failuresOf, requestsOf } from '../../catalog/availability.ts'
import type { Facts } from './facts.ts'
import type { Step } from './schema.ts'
import { openStep } from './step.ts'

const mostGroups = 5

/** 6. Which other groups answered for this model lately? */
export function groupsStep({
  request,
  usable,
  tokenLink: link,
  ownGroups,
  showsGroups,
  ofModel,
}: Facts): Step {
  const { model } = request
  const step = openStep('groups')
  if (model === null) {
    step.note('model_not_named')
    return step.done({ isUnknown: true, link })
  }
  const others = usable
    .filter(({ id, name, offers }) => {
      const isShown = showsGroups || ownGroups.has(name)
      const isOffered = (offers.get(model)?.candidates.length ?? 0) > 0
      return id !== request.groupId && isShown && isOffered
    })
    .map(({ id, name }) => {
      const counts = ofModel.get(id)
      return {
        name,
        requests: counts ? requestsOf(counts) : 0,
        failed: counts ? failuresOf(counts) : 0,
      }
    })
  const worked = others
    .filter(({ requests, failed }) => requests > failed)
    .sort((a, b) => a.failed / a.requests - b.failed / b.requests || b.requests - a.requests)
    .slice(0, mostGroups)
  for (const { name, requests, failed } of worked) {
    step.note('group_worked', { group: name, model, requests, failed })
  }
  const untried = others.filter(({ requests }) => requests === 0).map(({ name }) => name)
  if (untried.length > 0) {
    step.note('groups_untried', { groups: untried.sort().slice(0, mostGroups), model })
  }
  const choice = worked[0]?.name ?? untried[0]
  if (choice === undefined) step.note('groups_none', { model })
  else step.way('change_group', { group: choice })
  return step.done({ isUnknown: worked.length === 0, link })
}
