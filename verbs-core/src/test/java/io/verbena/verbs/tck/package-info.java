/**
 * The conformance kit: what every provider and path must do, told as tests. It knows no provider: the device under
 * test is {@code Devices.open(System.getProperty("verbena.tck.device", "soft"))}. Side A is the public API in the
 * test's own process, side B is reached only through {@link io.verbena.verbs.tck.peer.Peer}, so that it may live
 * elsewhere. Each rule is a test whose name says it; classes carry the numbers of the cases they belong to.
 *
 * <p>What a device may lack is skipped with the reason, never passed. Tests tagged {@code ci} take longer.
 *
 * <table>
 * <caption>Where each case is, and what of it is not covered yet ({@link io.verbena.verbs.tck.CoverageTest} keeps
 * this list)</caption>
 * <tr><th>case</th><th>tests</th><th>not covered yet</th></tr>
 * <tr><td>C01</td><td>{@code TransitionsC01Test}, {@code AttributeValuesC01Test}, {@code SendErrorC01C02Test}</td>
 *     <td>next step of the project: XRC and RAW</td></tr>
 * <tr><td>C02</td><td>{@code PostingStatesC02Test}, {@code UnreliablePostingC02Test}, {@code SendErrorC01C02Test}</td>
 *     <td></td></tr>
 * <tr><td>C03</td><td>{@code QueueLimitsC03Test}</td><td></td></tr>
 * <tr><td>C04</td><td>{@code CreationLimitsC04Test}</td><td></td></tr>
 * <tr><td>C05</td><td>{@code DestroyRefusalsC05Test}, {@code WindowLifeC05C34Test}, {@code SharingRefusalsC05Test}</td>
 *     <td></td></tr>
 * <tr><td>C06</td><td>{@code ResetC06Test}</td><td></td></tr>
 * <tr><td>C07</td><td>{@code ErrorFlushC07Test}, {@code UnreliableFlushC07C08Test}</td><td></td></tr>
 * <tr><td>C08</td><td>{@code DrainC08Test}, {@code UnreliableFlushC07C08Test}</td><td></td></tr>
 * <tr><td>C09</td><td>{@code SendC09C10Test}, {@code UnreliableTransfersTest}, {@code DatagramTransfersTest}</td>
 *     <td></td></tr>
 * <tr><td>C10</td><td>{@code SendC09C10Test}, {@code UnreliableTransfersTest}, {@code DatagramTransfersTest}</td>
 *     <td></td></tr>
 * <tr><td>C11</td><td>{@code RdmaC11C12C13Test}, {@code UnreliableTransfersTest}</td>
 *     <td>needs packets on a wire: pad bytes are never written</td></tr>
 * <tr><td>C12</td><td>{@code RdmaC11C12C13Test}, {@code UnreliableTransfersTest}</td><td></td></tr>
 * <tr><td>C13</td><td>{@code RdmaC11C12C13Test}</td><td></td></tr>
 * <tr><td>C14</td><td>{@code ScatterGatherC14Test}, {@code UnreliableTransfersTest},
 *     {@code DatagramTransfersTest}</td><td></td></tr>
 * <tr><td>C15</td><td>{@code InlineC15Test}, {@code UnreliableTransfersTest}, {@code DatagramTransfersTest}</td>
 *     <td></td></tr>
 * <tr><td>C16</td><td>{@code ZeroLengthC16Test}, {@code UnreliableTransfersTest}</td><td></td></tr>
 * <tr><td>C17</td><td>{@code AtomicsC17Test}</td><td></td></tr>
 * <tr><td>C18</td><td>{@code SendTooLongC18Test}</td><td></td></tr>
 * <tr><td>C19</td><td>{@code HugeMessageC19Test}</td><td></td></tr>
 * <tr><td>C20</td><td>{@code SignallingC20Test}, {@code UnreliableOrderTest}</td><td></td></tr>
 * <tr><td>C21</td><td>{@code MtuMismatchC21Test}</td><td></td></tr>
 * <tr><td>C22</td><td>{@code CompletionOrderC22Test}, {@code UnreliableOrderTest}</td><td></td></tr>
 * <tr><td>C23</td><td>{@code WriteThenSendC23Test}</td><td></td></tr>
 * <tr><td>C24</td><td>{@code FenceC24Test}</td><td></td></tr>
 * <tr><td>C25</td><td>{@code ReadDepthC25C26Test}</td>
 *     <td>needs packets on a wire: counting how many READs and atomics are outstanding</td></tr>
 * <tr><td>C26</td><td>{@code ReadDepthC25C26Test}</td><td></td></tr>
 * <tr><td>C27</td><td>{@code RemoteKeyC27Test}</td><td></td></tr>
 * <tr><td>C28</td><td>{@code QueuePairAccessC28Test}</td><td></td></tr>
 * <tr><td>C29</td><td>{@code LocalKeyC29Test}</td><td></td></tr>
 * <tr><td>C30</td><td>{@code BadReceiveC30Test}</td><td></td></tr>
 * <tr><td>C31</td><td>{@code RegistrationC31Test}</td><td></td></tr>
 * <tr><td>C32</td><td>{@code AtomicAlignmentC32Test}</td>
 *     <td>needs packets on a wire: crafted packets with misaligned addresses</td></tr>
 * <tr><td>C33</td><td>{@code DeregisterStormC33Test}</td><td></td></tr>
 * <tr><td>C34</td><td>{@code ReregisterC34Test}, {@code WindowLifeC05C34Test}</td><td></td></tr>
 * <tr><td>C35</td><td>{@code WindowsC35Test}, {@code WindowStormC36Test}</td><td></td></tr>
 * <tr><td>C36</td><td>{@code WindowsC36Test}, {@code WindowStormC36Test}</td><td></td></tr>
 * <tr><td>C37</td><td>{@code WindowRefusalsC37Test}</td><td></td></tr>
 * <tr><td>C38</td><td>{@code PartialRegionC38Test}, {@code WindowRangeC38Test}</td><td></td></tr>
 * <tr><td>C48</td><td>{@code ReceiverNotReadyC48Test}</td><td>needs packets on a wire: counting the RNR NAKs</td></tr>
 * <tr><td>C49</td><td>{@code ReceiverNotReadyC48Test}</td>
 *     <td>needs packets on a wire: nothing of a multi-packet write before its last packet is promised</td></tr>
 * <tr><td>C50</td><td>{@code RetryExceededC50Test}</td>
 *     <td>needs packets on a wire: counting the packets sent again; loss of single packets</td></tr>
 * <tr><td>C51</td><td>{@code RetryExceededC50Test}</td>
 *     <td>needs packets on a wire: timers of 100,000 destroyed queue pairs</td></tr>
 * <tr><td>C56</td><td>{@code CompletionEventsC56Test}, {@code EventStressC56Test}</td><td></td></tr>
 * <tr><td>C57</td><td>{@code OverflowC57Test}</td><td></td></tr>
 * <tr><td>C58</td><td>{@code ResizeC58Test}</td><td></td></tr>
 * <tr><td>C59</td><td>{@code SharedReceivesC59Test}, {@code SharedReceiveEventsC59Test},
 *     {@code SharedReceiveSizesC59Test}, {@code SharedReceiveTeardownC59Test}, {@code SharedReceiveLoadC59Test}</td>
 *     <td>needs packets on a wire: the credits field of acknowledgements</td></tr>
 * <tr><td>C60</td><td>{@code PostAllC60Test}</td><td></td></tr>
 * <tr><td>C61</td><td>{@code LostMessagesC61Test}</td>
 *     <td>needs packets on a wire: loss and reordering of single packets of a message</td></tr>
 * <tr><td>C62</td><td>{@code DatagramC62Test}, {@code MulticastC62Test}</td>
 *     <td>needs packets on a wire: datagrams with a wrong partition key</td></tr>
 * </table>
 *
 * <p>Besides the cases: {@code BadArgumentsTest} (every wrong argument gets a clear refusal), {@code RandomCallsTest}
 * (a million random calls), {@code ConcurrentCallsTest} (threads), {@code EarlyArenaCloseTest} (memory that a user
 * closes too early), {@code AllocationTest} (no garbage on the data path), {@code ScaleTest} (many queue pairs),
 * {@code PlacementTest} (ATOMIC_WRITE and FLUSH); and the same for UC, UD and shared receive queues in
 * {@code UnreliableAllocationTest}, {@code SharingScaleTest} and {@code SharingChurnTest} (control calls in the middle
 * of traffic).
 */
package io.verbena.verbs.tck;
