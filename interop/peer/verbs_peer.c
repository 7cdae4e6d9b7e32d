/*
 * One end of the interop cases that the ping-pong programs of libibverbs don't cover: one kind of operation a run, with
 * known data and a checked outcome. VerbsPeer.java is the same over Verbena, with the same arguments:
 *
 *   target:     verbs_peer DEVICE GID_INDEX PORT OPERATION SIZE PATH_MTU
 *   initiator:  verbs_peer DEVICE GID_INDEX PORT OPERATION SIZE PATH_MTU ADDRESS
 *
 * The initiator connects to the target's TCP port and each sends one line (hexadecimal; the initiator first):
 *
 *   qpn=QPN psn=PSN gid=GID address=ADDRESS rkey=RKEY window=RKEY
 *
 * When the target has answered, its queue pair is in RTS and its receives are posted. The initiator does the operations
 * and closes the TCP connection; then the target looks at what has come. Either exits with 0 when all was as it should
 * be. Operations:
 *
 *   send send_imm write write_imm read      four messages of SIZE bytes, all posted at once
 *   uc_send_imm uc_write uc_write_imm       the same over UC, and over UD
 *   ud_send_imm
 *   cmp_swap fetch_add                      four on one word, and a comparison that fails
 *   fetch_adds                              200 on one word
 *   send_inv                                WRITE through a window, SEND_INV of its key, WRITE that is refused
 *   rnr                                     SEND to a target that posts its receive half a second later
 *   rnr_exceeded                            the same with no patience (rnr_retry 0)
 *   wrong_rkey_write wrong_rkey_read        refused, and memory is as before; the index of the key is wrong
 *   wrong_rkey_atomic
 *   stale_rkey_write                        the same, when only the lowest byte of the key is wrong
 *
 * Byte i of message m holds (i + i / 251 + 16 m + seed) mod 256, with seed 1 for what the initiator sends and 2 for
 * what lies in the target's memory. Immediate data of message m: 0x1000 + m. The word of the atomics starts as
 * 0x0102030405060708; message m adds 0x100000001, or replaces the word by itself plus that.
 */
#include <arpa/inet.h>
#include <infiniband/verbs.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MESSAGES = 4, MANY = 200, DEPTH = 256, QKEY = 0x11111111, IMMEDIATE = 0x1000, HEADER = 40 };
enum { WAIT_MS = 20000, LATE_US = 500000 };

static const uint64_t WORD = 0x0102030405060708, STEP = 0x100000001;

/* What one end tells the other. */
struct end {
    unsigned qpn, psn, rkey, window;
    uint64_t address;
    union ibv_gid gid;
};

static const char *operation;
static size_t size, room;               /* bytes of a message, and from one message's place to the next */
static struct ibv_qp *qp;
static struct ibv_cq *cq;
static struct ibv_mr *mr;
static struct ibv_ah *handle;
static uint8_t *memory;
static struct end own, peer;

static void fail(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vprintf(format, values);
    putchar('\n');
    exit(1);
}

static int is(const char *name) { return strcmp(operation, name) == 0; }
static int has(const char *part) { return strstr(operation, part) != NULL; }
static int datagram(void) { return has("ud_"); }
static int unconfirmed(void) { return has("uc_") || datagram(); }
static int atomic(void) { return is("cmp_swap") || has("fetch_add"); }
static int refused(void) { return has("rkey"); }
static int receives(void) { return has("send") || has("_imm") || has("rnr"); }
static int messages(void)
{
    return is("send_inv") || has("rnr") || refused() ? 1 : is("fetch_adds") ? MANY : MESSAGES;
}

/* Of messages that memory has room for: a refused access may hit any of the usual ones. */
static int places(void) { return messages() > MESSAGES ? messages() : MESSAGES; }

static uint8_t byte_of(size_t i, int message, int seed) { return i + i / 251 + 16 * message + seed; }

static void fill(uint8_t *at, int message, int seed)
{
    for (size_t i = 0; i < size; i++)
        at[i] = byte_of(i, message, seed);
}

static void compare(const char *what, const uint8_t *at, int message, int seed)
{
    for (size_t i = 0; i < size; i++)
        if (at[i] != byte_of(i, message, seed))
            fail("%s: byte %zu of message %d is %02x, not %02x", what, i, message, at[i], byte_of(i, message, seed));
}

/* The next completion, whatever its status; NULL for none in time. */
static struct ibv_wc *completion(void)
{
    static struct ibv_wc wc;
    for (int i = 0; i < WAIT_MS; i++) {
        int polled = ibv_poll_cq(cq, 1, &wc);
        if (polled < 0)
            fail("polling failed");
        if (polled > 0)
            return &wc;
        usleep(1000);
    }
    return NULL;
}

static void expect(const char *what, enum ibv_wc_status status)
{
    struct ibv_wc *wc = completion();
    if (wc == NULL)
        fail("%s: no completion", what);
    if (wc->status != status)
        fail("%s: %s, not %s", what, ibv_wc_status_str(wc->status), ibv_wc_status_str(status));
}

static void open_device(const char *name, int gid_index)
{
    struct ibv_device **devices = ibv_get_device_list(NULL);
    struct ibv_context *context = NULL;
    for (int i = 0; devices && devices[i]; i++)
        if (strcmp(ibv_get_device_name(devices[i]), name) == 0)
            context = ibv_open_device(devices[i]);
    if (context == NULL)
        fail("can't open a device %s", name);
    int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC
        | IBV_ACCESS_MW_BIND;
    struct ibv_pd *pd = ibv_alloc_pd(context);
    room = (size + HEADER + 63) / 64 * 64;
    if (posix_memalign((void **)&memory, 4096, places() * room))
        fail("no memory");
    memset(memory, 0, places() * room);
    cq = ibv_create_cq(context, DEPTH, NULL, NULL, 0);
    mr = pd ? ibv_reg_mr(pd, memory, places() * room, access) : NULL;
    struct ibv_qp_init_attr init = { .send_cq = cq, .recv_cq = cq, .cap = { DEPTH, DEPTH, 1, 1, 0 },
        .qp_type = datagram() ? IBV_QPT_UD : has("uc_") ? IBV_QPT_UC : IBV_QPT_RC };
    qp = mr && cq ? ibv_create_qp(pd, &init) : NULL;
    if (qp == NULL || ibv_query_gid(context, 1, gid_index, &own.gid))
        fail("can't make a queue pair on GID %d of %s", gid_index, name);
    struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = QKEY, .qp_access_flags = access };
    if (ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT
            | (datagram() ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS)))
        fail("can't bring the queue pair to INIT");
    own.qpn = qp->qp_num;
    own.psn = getpid() * 7919 & 0xffffff;
    own.address = (uintptr_t)memory;
    own.rkey = mr->rkey;
}

static void connect_queue_pair(int gid_index, int mtu)
{
    struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RTR, .dest_qp_num = peer.qpn, .rq_psn = peer.psn,
        .max_dest_rd_atomic = 4, .min_rnr_timer = 16, .ah_attr = { .is_global = 1, .port_num = 1,
        .grh = { .dgid = peer.gid, .sgid_index = gid_index, .hop_limit = 64 } } };
    for (attr.path_mtu = IBV_MTU_256; 128 << attr.path_mtu < mtu; )
        attr.path_mtu++;
    int reliable = unconfirmed() ? 0 : IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
    if (ibv_modify_qp(qp, &attr, datagram() ? IBV_QP_STATE : IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU
            | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | reliable))
        fail("can't bring the queue pair to RTR");
    if (datagram() && (handle = ibv_create_ah(qp->pd, &attr.ah_attr)) == NULL)
        fail("can't make an address handle");
    attr = (struct ibv_qp_attr){ .qp_state = IBV_QPS_RTS, .sq_psn = own.psn, .timeout = 17, .retry_cnt = 7,
        .rnr_retry = is("rnr_exceeded") ? 0 : 7, .max_rd_atomic = 4 };
    reliable = unconfirmed() ? 0 : IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC;
    if (ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN | reliable))
        fail("can't bring the queue pair to RTS");
}

static void tell(int socket)
{
    char line[256];
    int length = sprintf(line, "qpn=%x psn=%x gid=", own.qpn, own.psn);
    for (int i = 0; i < 16; i++)
        length += sprintf(line + length, "%02x", own.gid.raw[i]);
    length += sprintf(line + length, " address=%llx rkey=%x window=%x\n", (unsigned long long)own.address, own.rkey,
        own.window);
    if (write(socket, line, length) != length)
        fail("can't tell the other end");
}

static void hear(int socket)
{
    char line[256], gid[33] = "";
    size_t length = 0;
    unsigned long long address = 0;
    while (length < sizeof line - 1 && read(socket, line + length, 1) == 1 && line[length] != '\n')
        length++;
    line[length] = 0;
    if (sscanf(line, "qpn=%x psn=%x gid=%32s address=%llx rkey=%x window=%x", &peer.qpn, &peer.psn, gid, &address,
            &peer.rkey, &peer.window) != 6)
        fail("the other end says \"%s\"", line);
    for (int i = 0; i < 16; i++)
        sscanf(gid + 2 * i, "%2hhx", &peer.gid.raw[i]);
    peer.address = address;
}

static void post_receives(void)
{
    for (int m = 0; m < messages(); m++) {
        struct ibv_sge sge = { (uintptr_t)memory + m * room, room, mr->lkey };
        struct ibv_recv_wr wr = { .wr_id = m, .sg_list = &sge, .num_sge = 1 }, *bad;
        if (ibv_post_recv(qp, &wr, &bad))
            fail("can't post a receive");
    }
}

static void bind_window(void)
{
    struct ibv_mw *window = ibv_alloc_mw(qp->pd, IBV_MW_TYPE_2);
    if (window == NULL)
        fail("can't make a memory window");
    own.window = ibv_inc_rkey(window->rkey);
    struct ibv_send_wr wr = { .opcode = IBV_WR_BIND_MW, .send_flags = IBV_SEND_SIGNALED }, *bad;
    wr.bind_mw.mw = window;
    wr.bind_mw.rkey = own.window;
    wr.bind_mw.bind_info = (struct ibv_mw_bind_info){ mr, (uintptr_t)memory, room, IBV_ACCESS_REMOTE_WRITE };
    if (ibv_post_send(qp, &wr, &bad))
        fail("can't post a bind");
    expect("binding", IBV_WC_SUCCESS);
}

static void check_receive(int message)
{
    struct ibv_wc *wc = completion();
    if (wc == NULL || wc->status != IBV_WC_SUCCESS)
        fail("receive %d: %s", message, wc == NULL ? "nothing came" : ibv_wc_status_str(wc->status));
    if (wc->byte_len != size + (datagram() ? HEADER : 0))
        fail("receive %d: %u bytes, not %zu", message, wc->byte_len, size);
    if (has("_imm") && (!(wc->wc_flags & IBV_WC_WITH_IMM) || ntohl(wc->imm_data) != IMMEDIATE + (unsigned)message))
        fail("receive %d: immediate data %x, flags %x", message, ntohl(wc->imm_data), wc->wc_flags);
    /* The flag is not asked for: rxe gives the kernel's number of it, which is another one. */
    if (is("send_inv") && wc->invalidated_rkey != own.window)
        fail("receive %d: invalidated %x, not %x", message, wc->invalidated_rkey, own.window);
}

/* Nobody hears of the arrival of a WRITE over UC, and its completion at the initiator comes before. */
static void await_last(void)
{
    const volatile uint8_t *last = memory + (messages() - 1) * room + size - 1;
    for (int i = 0; size > 0 && i < WAIT_MS / 4 && *last != byte_of(size - 1, messages() - 1, 1); i++)
        usleep(1000);
}

static void serve(int socket)
{
    char end;
    if (has("rkey") || is("read"))
        for (int m = 0; m < MESSAGES; m++)
            fill(memory + m * room, m, 2);
    if (atomic())
        *(uint64_t *)memory = WORD;
    if (is("send_inv"))
        bind_window();
    if (receives() && !has("rnr"))
        post_receives();
    tell(socket);
    if (is("rnr")) {
        usleep(LATE_US);
        post_receives();
    }
    for (int m = 0; receives() && !is("rnr_exceeded") && m < messages(); m++)
        check_receive(m);
    while (read(socket, &end, 1) > 0)
        ;
    if (is("uc_write"))
        await_last();
    for (int m = 0; m < messages(); m++)
        if (refused())
            compare("memory", memory + m * room, m, 2);
        else if (!atomic() && !is("read") && !is("rnr_exceeded"))
            compare("memory", memory + m * room + (datagram() ? HEADER : 0), m, 1);
    if (atomic() && *(uint64_t *)memory != WORD + messages() * STEP)
        fail("the word is %llx", (unsigned long long)*(uint64_t *)memory);
}

static void post(enum ibv_wr_opcode opcode, int message, unsigned rkey)
{
    struct ibv_sge sge = { (uintptr_t)memory + message * room, atomic() || is("wrong_rkey_atomic") ? 8 : size, mr->lkey };
    struct ibv_send_wr wr = { .wr_id = message, .sg_list = &sge, .num_sge = sge.length > 0, .opcode = opcode,
        .send_flags = IBV_SEND_SIGNALED }, *bad;
    uint64_t address = peer.address + message * room;
    if (opcode == IBV_WR_SEND_WITH_INV)
        wr.invalidate_rkey = peer.window;
    else
        wr.imm_data = htonl(IMMEDIATE + message);
    if (datagram()) {
        wr.wr.ud.ah = handle;
        wr.wr.ud.remote_qpn = peer.qpn;
        wr.wr.ud.remote_qkey = QKEY;
    } else if (opcode == IBV_WR_ATOMIC_CMP_AND_SWP || opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
        /* One word for all; the last one of a comparison compares with what was there at first. */
        wr.wr.atomic.remote_addr = peer.address;
        wr.wr.atomic.rkey = rkey;
        wr.wr.atomic.compare_add = opcode == IBV_WR_ATOMIC_FETCH_AND_ADD ? STEP : WORD + message * STEP;
        wr.wr.atomic.swap = WORD + (message + 1) * STEP;
    } else {
        wr.wr.rdma.remote_addr = address;
        wr.wr.rdma.rkey = rkey;
    }
    if (ibv_post_send(qp, &wr, &bad))
        fail("can't post message %d", message);
}

static enum ibv_wr_opcode opcode(void)
{
    return is("cmp_swap") ? IBV_WR_ATOMIC_CMP_AND_SWP : has("fetch_add") || has("atomic") ? IBV_WR_ATOMIC_FETCH_AND_ADD
        : has("read") ? IBV_WR_RDMA_READ : has("write_imm") ? IBV_WR_RDMA_WRITE_WITH_IMM
        : has("write") ? IBV_WR_RDMA_WRITE : has("send_imm") ? IBV_WR_SEND_WITH_IMM : IBV_WR_SEND;
}

/* A window's life: open, used, taken away by the initiator, of no use any more. */
static void use_window(void)
{
    post(IBV_WR_RDMA_WRITE, 0, peer.window);
    expect("WRITE through the window", IBV_WC_SUCCESS);
    post(IBV_WR_SEND_WITH_INV, 0, 0);
    expect("SEND_INV", IBV_WC_SUCCESS);
    post(IBV_WR_RDMA_WRITE, 0, peer.window);
    expect("WRITE through the invalidated window", IBV_WC_REM_ACCESS_ERR);
}

static void check_word(const char *what, int message, uint64_t word)
{
    uint64_t old = *(uint64_t *)(memory + message * room);
    if (old != word)
        fail("%s %d: the old word is %llx, not %llx", what, message, (unsigned long long)old, (unsigned long long)word);
}

static void initiate(void)
{
    for (int m = 0; m < MESSAGES && !is("read") && !atomic(); m++)
        fill(memory + m * room, m, 1);
    if (is("send_inv")) {
        use_window();
        return;
    }
    unsigned rkey = has("wrong_rkey") ? peer.rkey ^ 0xff00 : has("stale_rkey") ? peer.rkey ^ 1 : peer.rkey;
    for (int m = 0; m < messages(); m++)
        post(opcode(), m, rkey);
    for (int m = 0; m < messages(); m++)
        expect(operation, refused() ? IBV_WC_REM_ACCESS_ERR : is("rnr_exceeded") ? IBV_WC_RNR_RETRY_EXC_ERR
            : IBV_WC_SUCCESS);
    for (int m = 0; m < messages(); m++)
        if (is("read"))
            compare("what was read", memory + m * room, m, 2);
        else if (atomic())
            check_word(operation, m, WORD + m * STEP);
    if (is("cmp_swap")) { /* compares with what is no longer there: changes nothing and tells what is */
        post(opcode(), 0, rkey);
        expect("failing comparison", IBV_WC_SUCCESS);
        check_word("failing comparison", 0, WORD + MESSAGES * STEP);
    }
}

static int meet(const char *host, int port)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(port) };
    int yes = 1, socket_ = socket(AF_INET, SOCK_STREAM, 0);
    setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (host != NULL) {
        if (inet_pton(AF_INET, host, &address.sin_addr) != 1
                || connect(socket_, (struct sockaddr *)&address, sizeof address))
            fail("can't connect to port %d of %s", port, host);
        return socket_;
    }
    if (bind(socket_, (struct sockaddr *)&address, sizeof address) || listen(socket_, 1))
        fail("can't listen on port %d", port);
    return accept(socket_, NULL, NULL);
}

int main(int count, char **words)
{
    if (count != 7 && count != 8)
        fail("usage: verbs_peer DEVICE GID_INDEX PORT OPERATION SIZE PATH_MTU [ADDRESS]");
    int gid_index = atoi(words[2]), mtu = atoi(words[6]);
    operation = words[4];
    size = strtoul(words[5], NULL, 10);
    open_device(words[1], gid_index);
    int socket = meet(count == 8 ? words[7] : NULL, atoi(words[3]));
    if (count == 8) {
        tell(socket);
        hear(socket);
        connect_queue_pair(gid_index, mtu);
        initiate();
    } else {
        hear(socket);
        connect_queue_pair(gid_index, mtu);
        serve(socket);
    }
    printf("%s: as it should be\n", operation);
    return 0;
}
