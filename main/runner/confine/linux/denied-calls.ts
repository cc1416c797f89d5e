/** Numbers of system calls on x64 and arm64; null if that processor has no such call. */
export type Numbers = readonly [x64: number | null, arm64: number | null];

/** Other programs: to start them, to read or stop them, to leave the session that the donor made. */
const ofProcesses = {
  execve: [59, 221],
  execveat: [322, 281],
  fork: [57, null],
  vfork: [58, null],
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  process_madvise: [440, 440],
  process_mrelease: [448, 448],
  pidfd_open: [434, 434],
  pidfd_getfd: [438, 438],
  pidfd_send_signal: [424, 424],
  kcmp: [312, 272],
  tkill: [200, 130],
  rt_sigqueueinfo: [129, 138],
  rt_tgsigqueueinfo: [297, 240],
  migrate_pages: [256, 238],
  move_pages: [279, 239],
  setpgid: [109, 154],
  setsid: [112, 157],
} as const satisfies Readonly<Record<string, Numbers>>;

/**
 * Shares of the processor and the disk. They work on other processes, and on the runner's own threads, which have the
 * lowest priority already and the processors that the donor chose.
 */
const ofPriorities = {
  setpriority: [141, 140],
  sched_setaffinity: [203, 122],
  sched_setscheduler: [144, 119],
  sched_setparam: [142, 118],
  sched_setattr: [314, 274],
  ioprio_set: [251, 30],
} as const satisfies Readonly<Record<string, Numbers>>;

/** Attributes of files, and news about them. Landlock has no rights for these. */
const ofFiles = {
  chmod: [90, null],
  fchmod: [91, 52],
  fchmodat: [268, 53],
  fchmodat2: [452, 452],
  chown: [92, null],
  lchown: [94, null],
  fchown: [93, 55],
  fchownat: [260, 54],
  utime: [132, null],
  utimes: [235, null],
  futimesat: [261, null],
  utimensat: [280, 88],
  setxattr: [188, 5],
  lsetxattr: [189, 6],
  fsetxattr: [190, 7],
  setxattrat: [463, 463],
  getxattr: [191, 8],
  lgetxattr: [192, 9],
  fgetxattr: [193, 10],
  getxattrat: [464, 464],
  listxattr: [194, 11],
  llistxattr: [195, 12],
  flistxattr: [196, 13],
  listxattrat: [465, 465],
  removexattr: [197, 14],
  lremovexattr: [198, 15],
  fremovexattr: [199, 16],
  removexattrat: [466, 466],
  file_getattr: [468, 468],
  file_setattr: [469, 469],
  mknod: [133, null],
  mknodat: [259, 33],
  inotify_init: [253, null],
  inotify_init1: [294, 26],
  inotify_add_watch: [254, 27],
  fanotify_init: [300, 262],
  fanotify_mark: [301, 263],
  name_to_handle_at: [303, 264],
  open_by_handle_at: [304, 265],
} as const satisfies Readonly<Record<string, Numbers>>;

/** Memory, queues and semaphores that processes share by number. */
const ofSharedObjects = {
  mq_open: [240, 180],
  mq_unlink: [241, 181],
  msgget: [68, 186],
  msgsnd: [69, 189],
  msgrcv: [70, 188],
  msgctl: [71, 187],
  semget: [64, 190],
  semop: [65, 193],
  semctl: [66, 191],
  semtimedop: [220, 192],
  shmget: [29, 194],
  shmat: [30, 196],
  shmctl: [31, 195],
} as const satisfies Readonly<Record<string, Numbers>>;

/** Views of the file system, and namespaces. */
const ofMounts = {
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  move_mount: [429, 429],
  open_tree: [428, 428],
  open_tree_attr: [467, 467],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  unshare: [272, 97],
  setns: [308, 268],
} as const satisfies Readonly<Record<string, Numbers>>;

/** The kernel's rarely used parts, and the settings of the whole computer. */
const ofKernel = {
  bpf: [321, 280],
  perf_event_open: [298, 241],
  userfaultfd: [323, 282],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  keyctl: [250, 219],
  add_key: [248, 217],
  request_key: [249, 218],
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  reboot: [169, 142],
  swapon: [167, 224],
  swapoff: [168, 225],
  acct: [163, 89],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  syslog: [103, 116],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  clock_adjtime: [305, 266],
  adjtimex: [159, 171],
  sethostname: [170, 161],
  setdomainname: [171, 162],
  iopl: [172, null],
  ioperm: [173, null],
  modify_ldt: [154, null],
  personality: [135, 92],
  vhangup: [153, 58],
  uselib: [134, null],
} as const satisfies Readonly<Record<string, Numbers>>;

/** The system calls that a runner never needs. The channel to the donor and llama.cpp's files work without them. */
export const deniedCalls = {
  ...ofProcesses,
  ...ofPriorities,
  ...ofFiles,
  ...ofSharedObjects,
  ...ofMounts,
  ...ofKernel,
} as const satisfies Readonly<Record<string, Numbers>>;
