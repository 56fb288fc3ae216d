import enBegin from '../../../../data/docs/en/01-begin.md' with { type: 'text' }
import enClients from '../../../../data/docs/en/02-clients.md' with { type: 'text' }
import enChannelsAndVendors from '../../../../data/docs/en/03-channels-and-vendors.md' with {
  type: 'text',
}
import enPrices from '../../../../data/docs/en/04-prices.md' with { type: 'text' }
import enMoneyAndEndings from '../../../../data/docs/en/05-money-and-endings.md' with {
  type: 'text',
}
import enLimits from '../../../../data/docs/en/06-limits.md' with { type: 'text' }
import enConsole from '../../../../data/docs/en/07-console.md' with { type: 'text' }
import enSiteAndFeed from '../../../../data/docs/en/08-site-and-feed.md' with { type: 'text' }
import enSeveralMachines from '../../../../data/docs/en/09-several-machines.md' with {
  type: 'text',
}
import enBackup from '../../../../data/docs/en/10-backup.md' with { type: 'text' }
import enUpgrade from '../../../../data/docs/en/11-upgrade.md' with { type: 'text' }
import enSecurity from '../../../../data/docs/en/12-security.md' with { type: 'text' }
import enMonitoring from '../../../../data/docs/en/13-monitoring.md' with { type: 'text' }
import enCapacity from '../../../../data/docs/en/14-capacity.md' with { type: 'text' }
import enTroubleshooting from '../../../../data/docs/en/15-troubleshooting.md' with { type: 'text' }
import enInstall from '../../../../data/docs/en/16-install.md' with { type: 'text' }
import zhBegin from '../../../../data/docs/zh/01-begin.md' with { type: 'text' }
import zhClients from '../../../../data/docs/zh/02-clients.md' with { type: 'text' }
import zhChannelsAndVendors from '../../../../data/docs/zh/03-channels-and-vendors.md' with {
  type: 'text',
}
import zhPrices from '../../../../data/docs/zh/04-prices.md' with { type: 'text' }
import zhMoneyAndEndings from '../../../../data/docs/zh/05-money-and-endings.md' with {
  type: 'text',
}
import zhLimits from '../../../../data/docs/zh/06-limits.md' with { type: 'text' }
import zhConsole from '../../../../data/docs/zh/07-console.md' with { type: 'text' }
import zhSiteAndFeed from '../../../../data/docs/zh/08-site-and-feed.md' with { type: 'text' }
import zhSeveralMachines from '../../../../data/docs/zh/09-several-machines.md' with {
  type: 'text',
}
import zhBackup from '../../../../data/docs/zh/10-backup.md' with { type: 'text' }
import zhUpgrade from '../../../../data/docs/zh/11-upgrade.md' with { type: 'text' }
import zhSecurity from '../../../../data/docs/zh/12-security.md' with { type: 'text' }
import zhMonitoring from '../../../../data/docs/zh/13-monitoring.md' with { type: 'text' }
import zhCapacity from '../../../../data/docs/zh/14-capacity.md' with { type: 'text' }
import zhTroubleshooting from '../../../../data/docs/zh/15-troubleshooting.md' with { type: 'text' }
import zhInstall from '../../../../data/docs/zh/16-install.md' with { type: 'text' }

/** A page's Markdown: `name` is that of its file without number and ending. */
export interface GuideText {
  readonly name: string
  readonly text: string
}

/** The guide's pages by language, in their order. A test compares the lists with the files. */
export const guideTexts: Readonly<Record<'en' | 'zh', readonly GuideText[]>> = {
  en: [
    { name: 'begin', text: enBegin },
    { name: 'clients', text: enClients },
    { name: 'channels-and-vendors', text: enChannelsAndVendors },
    { name: 'prices', text: enPrices },
    { name: 'money-and-endings', text: enMoneyAndEndings },
    { name: 'limits', text: enLimits },
    { name: 'console', text: enConsole },
    { name: 'site-and-feed', text: enSiteAndFeed },
    { name: 'several-machines', text: enSeveralMachines },
    { name: 'backup', text: enBackup },
    { name: 'upgrade', text: enUpgrade },
    { name: 'security', text: enSecurity },
    { name: 'monitoring', text: enMonitoring },
    { name: 'capacity', text: enCapacity },
    { name: 'troubleshooting', text: enTroubleshooting },
    { name: 'install', text: enInstall },
  ],
  zh: [
    { name: 'begin', text: zhBegin },
    { name: 'clients', text: zhClients },
    { name: 'channels-and-vendors', text: zhChannelsAndVendors },
    { name: 'prices', text: zhPrices },
    { name: 'money-and-endings', text: zhMoneyAndEndings },
    { name: 'limits', text: zhLimits },
    { name: 'console', text: zhConsole },
    { name: 'site-and-feed', text: zhSiteAndFeed },
    { name: 'several-machines', text: zhSeveralMachines },
    { name: 'backup', text: zhBackup },
    { name: 'upgrade', text: zhUpgrade },
    { name: 'security', text: zhSecurity },
    { name: 'monitoring', text: zhMonitoring },
    { name: 'capacity', text: zhCapacity },
    { name: 'troubleshooting', text: zhTroubleshooting },
    { name: 'install', text: zhInstall },
  ],
}
