using System.Net.Sockets;
using System.Security.Authentication;
using Quayside.Messaging.RabbitMq;
using RabbitMQ.Client;
using RabbitMQ.Client.Events;
using RabbitMQ.Client.Exceptions;

namespace Messaging.Tests.RabbitMq;

public sealed class RabbitMqFaultTests
{
    [Theory]
    [InlineData(403, "ACCESS_REFUSED - read access to queue 'q' refused", "right to read the queue", 77)]
    [InlineData(404, "NOT_FOUND - no queue 'q' in vhost '/'", "create what is missing", 69)]
    [InlineData(405, "RESOURCE_LOCKED - cannot obtain exclusive access", "exclusive", 69)]
    [InlineData(406, "PRECONDITION_FAILED - queue 'q' in vhost '/' is a stream", "quorum or classic", 78)]
    [InlineData(406, "PRECONDITION_FAILED - delivery acknowledgement on channel 1 timed out", null, 69)]
    [InlineData(530, "NOT_ALLOWED - vhost v not found", "check the virtual host", 69)]
    [InlineData(530, "NOT_ALLOWED - access to vhost '/' refused for user 'u'", "access to the virtual host", 77)]
    [InlineData(540, "NOT_IMPLEMENTED - basic.get not supported by stream queues", "quorum or classic", 78)]
    [InlineData(320, "CONNECTION_FORCED - broker forced connection closure", null, 69)]
    [InlineData(541, "INTERNAL_ERROR", null, 69)]
    public void Of_ReplyOfTheBroker_SaysWhatToDo(int code, string text, string? remedy, int exitCode)
    {
        ShutdownEventArgs reason = new(ShutdownInitiator.Peer, (ushort)code, text);

        foreach (Exception exception in (Exception[])[
            new OperationInterruptedException(reason), new BrokerUnreachableException(new AggregateException(new OperationInterruptedException(reason)))])
        {
            RabbitMqFault.IsOne(exception).ShouldBeTrue();
            RabbitMqFault fault = RabbitMqFault.Of(exception);

            fault.Text.ShouldBe(text);
            fault.ExitCode.ShouldBe(exitCode);
            if (remedy is null)
            {
                fault.Remedy.ShouldBeNull();
            }
            else
            {
                fault.Remedy.ShouldNotBeNull().ShouldContain(remedy);
            }
        }
    }

    [Fact]
    public void Of_NothingListens_IsTheSocketsTextAndNoRefusal()
    {
        RabbitMqFault fault = RabbitMqFault.Of(
            new BrokerUnreachableException(
                new AggregateException(
                    new ConnectFailureException("Connection failed, host 127.0.0.1:1", new SocketException((int)SocketError.ConnectionRefused)))));

        fault.Text.ShouldBe("Connection failed, host 127.0.0.1:1: Connection refused");
        fault.Remedy.ShouldBeNull();
    }

    [Fact]
    public void Of_UntrustedCertificate_IsAMatterOfTheConfiguration()
    {
        RabbitMqFault fault = RabbitMqFault.Of(new BrokerUnreachableException(new AuthenticationException("The remote certificate is invalid.")));

        fault.ExitCode.ShouldBe(78);
        fault.ToString().ShouldStartWith("The remote certificate is invalid; check the broker's certificate");
    }

    [Fact]
    public void Of_BrokerGoesDownDuringTheHandshake_IsNoRefusal() =>
        RabbitMqFault.Of(
            new BrokerUnreachableException(
                new PossibleAuthenticationFailureException("Possibly caused by authentication failure", new EndOfStreamException()))).Remedy.ShouldBeNull();
}
