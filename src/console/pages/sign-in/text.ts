import { bilingual } from '../../lib/texts.ts'

/** Words of the page to sign in. */
export const signInText = bilingual({
  title: ['Sign in', '登录'],
  email: ['E-mail', '邮箱'],
  password: ['Password', '密码'],
  remember: ['Stay signed in', '保持登录'],
  signIn: ['Sign in', '登录'],
  withPasskey: ['Sign in with a passkey', '使用通行密钥登录'],
  withProvider: [(name: string) => `Sign in with ${name}`, (name) => `使用 ${name} 登录`],

  /** By the word that comes back from a provider in the address. */
  refusals: {
    signup_disabled: [
      'There is no account for you here yet, and registration is closed. Ask an administrator for one.',
      '还没有对应的账户，且未开放注册。请联系管理员。',
    ],
    account_not_linked: [
      'There is an account with your e-mail address, but it does not go with this way to sign in. Sign in as you did before, or ask an administrator.',
      '已有使用此邮箱的账户，但它未关联此登录方式。请用原来的方式登录，或联系管理员。',
    ],
    email_not_found: [
      'The other site gave no e-mail address for you that can be used here. Ask an administrator.',
      '对方网站没有给出可在此使用的邮箱地址。请联系管理员。',
    ],
    access_denied: [
      'The sign-in was cancelled or refused at the other site.',
      '登录在对方网站被取消或拒绝。',
    ],
    state_mismatch: [
      'The sign-in took too long, or was begun in another browser. Try again.',
      '登录用时过长，或是在另一个浏览器中开始的。请重试。',
    ],
  },
  refused: [
    'That sign-in did not succeed. Try again, or ask an administrator.',
    '此次登录未成功。请重试，或联系管理员。',
  ],
  noAccount: ['No account yet?', '还没有账户？'],
  signUp: ['Create one', '立即注册'],
  setup: [
    'This gateway has no administrator yet. Open the one-time link that it showed when it started: it is in the terminal and in the log.',
    '此网关尚无管理员。请打开启动时显示的一次性链接，它在终端和日志中。',
  ],
  forgotten: [
    'Forgot the password? An administrator can set a new one.',
    '忘记密码？请联系管理员重设。',
  ],
  secondStep: ['Second step', '第二步验证'],
  code: ['Code', '验证码'],
  codeHint: [
    'The six digits that your authenticator app shows now.',
    '验证器应用当前显示的六位数字。',
  ],
  backupHint: ['One of the backup codes. Each works once.', '一个备用码，每个只能使用一次。'],
  useBackup: ['Use a backup code', '使用备用码'],
  useApp: ['Use the app', '使用验证器应用'],
  trust: ['Do not ask again on this device for 30 days', '30 天内在此设备上不再询问'],
  confirm: ['Confirm', '确认'],
  back: ['Back', '返回'],
})
