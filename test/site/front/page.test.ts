import { expect, test } from 'bun:test'
import { inSlices } from '../../../src/lib/slices.ts'
import { clientAddresses } from '../../../src/site/front/addresses.ts'
import { frontFacts } from '../../../src/site/front/facts.ts'
import { type FrontPage, frontPage } from '../../../src/site/front/page.ts'
import { modelsOf } from '../../../src/site/models/models.ts'
import { catalogOf, tokenTerms } from '../feed/catalogs.ts'
import { siteNamed } from '../frame-site.ts'
import { figuresOf } from '../status/figures.ts'

const nothing: FrontPage = {
  ...{ language: 'en', site: siteNamed('Gate'), subtitle: null, isOpen: false },
  addresses: [{ name: 'Everywhere', url: 'https://gw.example.com' }],
  facts: { rows: [], modelCount: 0, isByUse: false, groups: [] },
}

test('without a model it says what an administrator does next, and nothing that would not work', () => {
  const html = frontPage(nothing)
  expect(html).toContain('No models yet')
  expect(html).toContain('<a class="button main" href="/console">')
  expect(html).not.toContain('id="begin"')
})

test('where the models are not for everyone, their names and prices are not here either', async () => {
  const terms = tokenTerms(1_000_000, 2_000_000)
  const { groups } = catalogOf([{ name: 'g' }], [{ id: 'secret-model', terms }])
  const models = await inSlices(modelsOf(groups))
  const facts = await inSlices(frontFacts({ groups, models, figures: figuresOf([]), most: 1 }))
  const closed = frontPage({ ...nothing, facts, site: { ...nothing.site, hasModels: false } })
  expect(closed).not.toContain('secret-model')
  expect(closed).not.toContain('href="/models')
  expect(closed).toContain('id="begin"')
  expect(frontPage({ ...nothing, facts })).toContain('href="/models/secret-model"')
})

test('whoever may open an account is led there', () => {
  const facts = {
    ...nothing.facts,
    modelCount: 1,
    groups: [{ name: 'g', state: 'operational' as const, dayRatio: 1, models: 1 }],
  }
  expect(frontPage({ ...nothing, facts, isOpen: true })).toContain('href="/console/sign-up"')
  expect(frontPage({ ...nothing, facts })).not.toContain('/console/sign-up')
})

test('the addresses are the configured ones, else that of the request', () => {
  const none = { baseUrl: null, overseasBaseUrl: null, customEndpoints: [] }
  expect(clientAddresses(none, 'http://10.0.0.1:8787', 'en')).toEqual([
    { name: 'Everywhere', url: 'http://10.0.0.1:8787' },
  ])
  const all = {
    ...{ baseUrl: 'https://gw.example.com/', overseasBaseUrl: 'https://os.example.com' },
    customEndpoints: [{ name: 'Asia', endpoint: 'https://asia.example.com' }],
  }
  expect(clientAddresses(all, 'http://x', 'zh').map(({ url }) => url)).toEqual([
    ...['https://gw.example.com', 'https://os.example.com', 'https://asia.example.com'],
  ])
})
