import type { Texts } from '../../lib/language.tsx'

const en = {
  title: 'Sign in',
  email: 'E-mail',
  password: 'Password',
  remember: 'Stay signed in',
  signIn: 'Sign in',
  withPasskey: 'Sign in with a passkey',
  withProvider: (name: string) => `Sign in with ${name}`,
  /** By the word that comes back from a provider in the address. */
  refusals: {
    signup_disabled:
      'There is no account for you here yet, and registration is closed. Ask an administrator for one.',
    account_not_linked:
      'There is an account with your e-mail address, but it does not go with this way to sign in. Sign in as you did before, or ask an administrator.',
    email_not_found:
      'The other site gave no e-mail address for you that can be used here. Ask an administrator.',
    access_denied: 'The sign-in was cancelled or refused at the other site.',
    state_mismatch: 'The sign-in took too long, or was begun in another browser. Try again.',
  },
  refused: 'That sign-in did not succeed. Try again, or ask an administrator.',
  noAccount: 'No account yet?',
  signUp: 'Create one',
  setup:
    'This gateway has no administrator yet. Open the one-time link that it showed when it started: it is in the terminal and in the log.',
  forgotten: 'Forgot the password? An administrator can set a new one.',
  secondStep: 'Second step',
  code: 'Code',
  codeHint: 'The six digits that your authenticator app shows now.',
  backupHint: 'One of the backup codes. Each works once.',
  useBackup: 'Use a backup code',
  useApp: 'Use the app',
  trust: 'Do not ask again on this device for 30 days',
  confirm: 'Confirm',
  back: 'Back',
}

/** Words of the page to sign in. */
export const signInText: Texts<typeof en> = {
  en,
  zh: {
    title: '登录',
    email: '邮箱',
    password: '密码',
    remember: '保持登录',
    signIn: '登录',
    withPasskey: '使用通行密钥登录',
    withProvider: (name) => `使用 ${name} 登录`,
    refusals: {
      signup_disabled: '还没有对应的账户，且未开放注册。请联系管理员。',
      account_not_linked:
        '已有使用此邮箱的账户，但它未关联此登录方式。请用原来的方式登录，或联系管理员。',
      email_not_found: '对方网站没有给出可在此使用的邮箱地址。请联系管理员。',
      access_denied: '登录在对方网站被取消或拒绝。',
      state_mismatch: '登录用时过长，或是在另一个浏览器中开始的。请重试。',
    },
    refused: '此次登录未成功。请重试，或联系管理员。',
    noAccount: '还没有账户？',
    signUp: '立即注册',
    setup: '此网关尚无管理员。请打开启动时显示的一次性链接，它在终端和日志中。',
    forgotten: '忘记密码？请联系管理员重设。',
    secondStep: '第二步验证',
    code: '验证码',
    codeHint: '验证器应用当前显示的六位数字。',
    backupHint: '一个备用码，每个只能使用一次。',
    useBackup: '使用备用码',
    useApp: '使用验证器应用',
    trust: '30 天内在此设备上不再询问',
    confirm: '确认',
    back: '返回',
  },
}
