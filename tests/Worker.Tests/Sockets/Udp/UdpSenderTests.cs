using System.Net;
using System.Net.Sockets;
using System.Text;
using Microsoft.Extensions.Configuration;
using Quayside.Messaging.Publishing;
using Quayside.Messaging.Sockets.Udp;
using Worker.Tests.Sources;

namespace Worker.Tests.Sockets.Udp;

public sealed class UdpSenderTests
{
    private static readonly OutgoingMessage Message = new("id", Encoding.UTF8.GetBytes("{\"a\":1}"));

    [Theory]
    [InlineData("None")]
    [InlineData("Compute")]
    [InlineData("Verify")]
    public async Task Send_Message_IsTheDatagramThatTheSourceExpects(string checksum)
    {
        using UdpClient receiver = new(new IPEndPoint(IPAddress.Loopback, 0));
        using IMessageSender sender = await OpenAsync(receiver.Client.LocalEndPoint!.ToString()!, checksum);

        (await sender.SendAsync([Message], CancellationToken.None)).ShouldBe([null]);

        UdpReceiveResult received = await receiver.ReceiveAsync().WaitAsync(TimeSpan.FromSeconds(30));
        byte[] body = Message.Body.ToArray();
        received.Buffer.ShouldBe(checksum == "Verify" ? Fletcher32Tests.WithTrailer(body) : body);
    }

    [Fact]
    public async Task Send_NoReceiver_IsReportedAndNotRetriedOneByOne()
    {
        // Keeps its port, and as a connected socket takes datagrams only of its peer: the kernel refuses all others.
        using UdpClient other = new(new IPEndPoint(IPAddress.Loopback, 0));
        other.Connect(new IPEndPoint(IPAddress.Loopback, 9));
        using IMessageSender sender = await OpenAsync(other.Client.LocalEndPoint!.ToString()!, "None");
        string?[] errors = [];
        for (int attempt = 0; attempt < 1_000 && errors.All(error => error is null); attempt++)
        {
            // The refusal arrives after the datagram was sent.
            errors = await sender.SendAsync([Message, Message], CancellationToken.None);
            await Task.Yield();
        }

        errors[^1]!.ShouldContain("Sources:Udp:Endpoint");
        (await sender.SendAsync([Message], CancellationToken.None))[0].ShouldBe(errors[^1]);
    }

    private static Task<IMessageSender> OpenAsync(string endpoint, string checksum) => Senders.OpenAsync(
        new UdpSourceFeature(),
        new ConfigurationBuilder().AddInMemoryCollection([new("Sources:Udp:Endpoint", endpoint), new("Sources:Udp:Checksum", checksum)]).Build());
}
