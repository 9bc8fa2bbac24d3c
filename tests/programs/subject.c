/* SPDX-License-Identifier: Apache-2.0 */
/* Programs under test for the shim, by their first argument: each says that it is ready, and then answers lines. */
#define _GNU_SOURCE /* pipe2 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

static void say(const char* what) {
  printf("{\"say\":\"%s\"}\n", what);
  fflush(stdout);
}

static long long now_ms(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

/* How far each clock has gone meanwhile. */
static void sleeps(void) {
  const long long mono = now_ms(CLOCK_MONOTONIC), wall = now_ms(CLOCK_REALTIME);
  struct timespec t = {1, 500000000};
  nanosleep(&t, NULL);
  poll(NULL, 0, 250);
  printf("%lld %lld\n", now_ms(CLOCK_MONOTONIC) - mono, now_ms(CLOCK_REALTIME) - wall);
  fflush(stdout);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turn = PTHREAD_COND_INITIALIZER;
static int whose;

static void* player(void* number) {
  for (int i = 0; i < 3; ++i) {
    pthread_mutex_lock(&mutex);
    while (whose != (int)(intptr_t)number) pthread_cond_wait(&turn, &mutex);
    printf("%d", whose);
    whose = !whose;
    pthread_cond_broadcast(&turn);
    pthread_mutex_unlock(&mutex);
    usleep(1000);
  }
  return NULL;
}

static void threads(void) {
  pthread_t players[2];
  for (intptr_t i = 0; i < 2; ++i) pthread_create(&players[i], NULL, player, (void*)i);
  for (int i = 0; i < 2; ++i) pthread_join(players[i], NULL);
  printf("\n");
  fflush(stdout);
}

static void* renew(void* unused) {
  usleep(100000);
  printf("renewed\n");
  fflush(stdout);
  return unused;
}

/* Every source of chance that a library may use. */
static void chance(void) {
  unsigned char bytes[20];
  getrandom(bytes, 4, 0);
  getentropy(bytes + 4, 4);
  FILE* file = fopen("/dev/urandom", "r");
  if (!file || fread(bytes + 8, 4, 1, file) != 1) abort();
  fclose(file);
  memcpy(bytes + 12, (const void*)getauxval(AT_RANDOM), 4);
  syscall(SYS_getrandom, bytes + 16, 4, 0);
  for (unsigned i = 0; i < sizeof bytes; ++i) printf("%02x", bytes[i]);
  printf(" %d\n", getpid());
  fflush(stdout);
}

static int dial(void) {
  const char* address = getenv("LOCKPROOF_SERVERS");
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(strchr(address, ':') + 1))};
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  const struct timeval most = {2, 0};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most);
  if (connect(fd, (const struct sockaddr*)&to, sizeof to) != 0) abort();
  return fd;
}

/* One command, and what comes of it. */
static void asks(void) {
  static int fd = -1;
  if (fd < 0) fd = dial();
  const char command[] = "*2\r\n$3\r\nget\r\n$3\r\njob\r\n";
  char reply[100];
  if (send(fd, command, sizeof command - 1, 0) < 0) {
    printf("cannot send: %s\n", strerror(errno));
  } else {
    const ssize_t count = recv(fd, reply, sizeof reply - 1, 0);
    reply[count > 0 ? count : 0] = 0;
    count < 0 ? printf("no reply: %s\n", strerror(errno)) : printf("reply of %zd bytes\n", count);
  }
  fflush(stdout);
}

/* As libuv does it: a connection is closed by a call of the kernel by its number, and the next one gets the number of
   its descriptor. */
static void redials(void) {
  const int fd = dial();
  syscall(SYS_close, fd);
  const int next = dial();
  printf(next == fd ? "the same number\n" : "another number\n");
  fflush(stdout);
}

static void fails_without_a_process(void) {
  if (fork() < 0) printf("{\"say\":\"failed\",\"error\":\"%s\"}\n", strerror(errno));
  fflush(stdout);
}

static void locks_a_file(int of_records) {
  const int fd = memfd_create("lock", 0);
  struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  printf("%d\n", of_records ? fcntl(fd, F_SETLKW, &whole) : flock(fd, LOCK_EX));
  fflush(stdout);
}

static void starts_a_process(void) {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  printf(child < 0 ? "no child: %s\n" : "a child%s\n", child < 0 ? strerror(errno) : "");
  fflush(stdout);
}

static int event = -1, ends[2];

static void* wakes(void* unused) {
  usleep(1000);
  eventfd_write(event, 3);
  usleep(1000);
  if (write(ends[1], "abc", 3) != 3) abort();
  return unused;
}

/* A loop that another thread wakes by an event and by a pipe, until that is closed. */
static void loops(void) {
  pthread_t other;
  event = eventfd(0, EFD_NONBLOCK);
  if (pipe2(ends, O_NONBLOCK) != 0) abort();
  const int set = epoll_create1(0);
  for (int i = 0; i < 2; ++i) {
    struct epoll_event of = {EPOLLIN, {.fd = i ? event : ends[0]}};
    epoll_ctl(set, EPOLL_CTL_ADD, of.data.fd, &of);
  }
  pthread_create(&other, NULL, wakes, NULL);
  for (int woken = 0; woken < 3; ++woken) {
    struct epoll_event come;
    eventfd_t count = 0;
    char bytes[10];
    if (woken == 2) pthread_join(other, NULL), close(ends[1]);
    if (epoll_wait(set, &come, 1, -1) != 1) abort();
    if (come.data.fd == event) eventfd_read(event, &count), printf("event %d, ", (int)count);
    if (come.data.fd == ends[0]) printf("pipe %zd, ", read(ends[0], bytes, sizeof bytes));
  }
  printf("%s\n", eventfd_read(event, &(eventfd_t){0}) == 0 ? "more" : strerror(errno));
  fflush(stdout);
}

/* How many lines it was told, kept in an event. */
static void counts(void) {
  eventfd_t count;
  if (event < 0) event = eventfd(0, 0);
  eventfd_write(event, 1);
  eventfd_read(event, &count);
  eventfd_write(event, count);
  printf("%d\n", (int)count);
  fflush(stdout);
}

static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_barrier_t meeting;
static int word;

static void* meets(void* unused) {
  pthread_rwlock_wrlock(&shared);
  printf("writes, ");
  pthread_rwlock_unlock(&shared);
  pthread_spin_lock(&spin);
  printf("has spun, ");
  pthread_spin_unlock(&spin);
  pthread_barrier_wait(&meeting);
  while (word == 0) syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
  printf("is woken, ");
  return unused;
}

/* The other thread waits on one after the other, until this one lets it go on. */
static void locks(void) {
  pthread_t other;
  pthread_spin_init(&spin, 0);
  pthread_barrier_init(&meeting, NULL, 2);
  pthread_rwlock_rdlock(&shared);
  pthread_spin_lock(&spin);
  pthread_create(&other, NULL, meets, NULL);
  usleep(1000);
  printf("has read, ");
  pthread_rwlock_unlock(&shared);
  usleep(1000);
  printf("lets spin, ");
  pthread_spin_unlock(&spin);
  pthread_barrier_wait(&meeting);
  usleep(1000);
  printf("wakes, ");
  word = 1;
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
  const struct timespec most = {0, 2000000};
  const long late = syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 1, &most, NULL, 0);
  printf("%s, ", late < 0 ? strerror(errno) : "woken");
  pthread_join(other, NULL);
  printf("done\n");
  fflush(stdout);
}

static void looks_at_the_machine(void) {
  char name[100];
  struct sysinfo memory;
  gethostname(name, sizeof name);
  sysinfo(&memory);
  printf("%s, %ld processor, %lu MiB\n", name, sysconf(_SC_NPROCESSORS_ONLN), memory.totalram >> 20);
  fflush(stdout);
}

static void print_line_of(const char* path) {
  char line[100] = "";
  FILE* file = fopen(path, "r");
  if (!file || !fgets(line, sizeof line, file)) abort();
  fclose(file);
  printf("%.*s, ", (int)strcspn(line, "\n"), line);
}

/* What the kernel and the files of the machine tell of this run. */
static void looks_around(void) {
  static const char* const files[] = {"/proc/uptime",
                                      "/proc/loadavg",
                                      "/proc/meminfo",
                                      "/proc/sys/kernel/random/boot_id",
                                      "/proc/sys/kernel/random/uuid",
                                      "/etc/machine-id",
                                      "/etc/hostname"};
  struct rusage used;
  struct tms ticks;
  getrusage(RUSAGE_SELF, &used);
  printf("%ld us, %ld kB, %ld ticks, ", (long)used.ru_utime.tv_usec, used.ru_maxrss, (long)times(&ticks));
  syscall(SYS_getrusage, RUSAGE_CHILDREN, &used);
  printf("%ld us, ", (long)used.ru_utime.tv_usec);
  for (size_t i = 0; i < sizeof files / sizeof *files; ++i) print_line_of(files[i]);
  char folder[200];
  if (!getcwd(folder, sizeof folder)) abort();
  printf("%s\n", folder);
  fflush(stdout);
}

/* How long ago, by its wall clock, a file was written: by each call that tells of it. */
static void writes_a_file(void) {
  const long long now = now_ms(CLOCK_REALTIME) / 1000;
  struct stat by_name = {0}, by_number = {0}, of_link = {0};
  struct statx more = {0};
  FILE* file = fopen("written", "w");
  if (!file || stat("written", &by_name) != 0 || fstat(fileno(file), &by_number) != 0 ||
      lstat("written", &of_link) != 0 || syscall(SYS_statx, AT_FDCWD, "written", 0, STATX_ALL, &more) != 0)
    abort();
  fclose(file);
  printf("%lld %lld %lld %lld %lld s\n", now - by_name.st_mtim.tv_sec, now - by_number.st_ctim.tv_sec,
         now - of_link.st_atim.tv_sec, now - (long long)more.stx_btime.tv_sec, now - (long long)more.stx_mtime.tv_sec);
  fflush(stdout);
}

static void copies_a_descriptor(void) {
  const int fd = dial();
  printf("%s\n", dup(fd) < 0 && fcntl(fd, F_DUPFD, 0) < 0 ? strerror(errno) : "a copy");
  fflush(stdout);
}

/* An input that the shim does not know of. */
static void looks_at_the_processor(void) {
  printf("%llu\n", (unsigned long long)__rdtsc());
  fflush(stdout);
}

static void* ends_at_once(void* unused) { return unused; }

/* More than may live at a time; the last one is joined. */
static void detaches(void) {
  int made = 0;
  pthread_t id;
  for (; made < 99 && pthread_create(&id, NULL, ends_at_once, NULL) == 0; ++made) {
    pthread_detach(id);
    sched_yield();
  }
  if (pthread_create(&id, NULL, ends_at_once, NULL) == 0) pthread_join(id, NULL), ++made;
  printf("%d threads\n", made);
  fflush(stdout);
}

static void spins(void) {
  for (volatile int i = 0;; i = i + 1) {
  }
}

static void waits_for_the_clock(void) {
  const long long from = now_ms(CLOCK_MONOTONIC);
  while (now_ms(CLOCK_MONOTONIC) < from + 3) {
  }
  printf("later\n");
  fflush(stdout);
}

static void waits_without_waiting(void) {
  struct pollfd input = {0, POLLIN, 0};
  while (poll(&input, 1, 0) == 0) usleep(0);
  printf("heard\n");
  fflush(stdout);
}

int main(int count, char** words) {
  const char* mode = count > 1 ? words[1] : "";
  char line[200];
  if (!strcmp(mode, "exits")) return 3;
  if (!strcmp(mode, "complains")) return fputs("Error: no driver\n    at main\nv20.1\n", stderr), 3;
  if (!strcmp(mode, "babbles")) printf("good morning\n"), fflush(stdout);
  if (!strcmp(mode, "is silent")) pause();
  if (!strcmp(mode, "starts") && fork() < 0) return 4;
  if (!strcmp(mode, "early thread")) {
    pthread_t id;
    pthread_create(&id, NULL, renew, NULL);
  }
  if (!strcmp(mode, "waits")) (void)!fgets(line, sizeof line, stdin);
  say("ready");
  while (fgets(line, sizeof line, stdin)) {
    if (!strcmp(mode, "sleeps")) sleeps();
    if (!strcmp(mode, "threads")) threads();
    if (!strcmp(mode, "chance")) chance();
    if (!strcmp(mode, "asks")) asks();
    if (!strcmp(mode, "redials")) redials();
    if (!strcmp(mode, "loops")) loops();
    if (!strcmp(mode, "counts")) counts();
    if (!strcmp(mode, "locks")) locks();
    if (!strcmp(mode, "machine")) looks_at_the_machine();
    if (!strcmp(mode, "around")) looks_around();
    if (!strcmp(mode, "writes")) writes_a_file();
    if (!strcmp(mode, "reads")) print_line_of("/proc/self/stat"), printf("\n"), fflush(stdout);
    if (!strcmp(mode, "copies")) copies_a_descriptor();
    if (!strcmp(mode, "forks")) starts_a_process();
    if (!strcmp(mode, "needs-fork")) fails_without_a_process();
    if (!strcmp(mode, "dies-without-fork") && fork() < 0) return 1;
    if (!strcmp(mode, "flock")) locks_a_file(0);
    if (!strcmp(mode, "record-lock")) locks_a_file(1);
    if (!strcmp(mode, "detached")) detaches();
    if (!strcmp(mode, "processor")) looks_at_the_processor();
    if (!strcmp(mode, "spins")) spins();
    if (!strcmp(mode, "clock")) waits_for_the_clock();
    if (!strcmp(mode, "looks")) waits_without_waiting();
    if (!strcmp(mode, "leaves")) return 3;
    if (!strcmp(mode, "thread")) {
      pthread_t id;
      pthread_create(&id, NULL, renew, NULL);
      printf("goes on\n");
      fflush(stdout);
    }
  }
  return 0;
}
