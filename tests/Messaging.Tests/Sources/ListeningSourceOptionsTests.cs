using Microsoft.Extensions.Configuration;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Sockets.TcpLines;
using Quayside.Messaging.Sockets.Udp;
using Shared.Hosting;

namespace Messaging.Tests.Sources;

/// <summary>The settings of the two sources with their own listener.</summary>
public sealed class ListeningSourceOptionsTests
{
    [Theory]
    [InlineData("127.0.0.1:9082", true)]
    [InlineData("0.0.0.0:0", true)]
    [InlineData("[::1]:9082", true)]
    [InlineData("[::]:65535", true)]
    [InlineData("127.0.0.1", false)]
    [InlineData("127.0.0.1:", false)]
    [InlineData(":9082", false)]
    [InlineData("::1:9082", false)]
    [InlineData("localhost:9082", false)]
    [InlineData("127.0.0.1:65536", false)]
    [InlineData("http://127.0.0.1:9082", false)]
    public void Read_Endpoint_IsAnAddressAndAPort(string endpoint, bool valid)
    {
        Errors<TcpLinesSourceOptions>("Sources:TcpLines", ("Endpoint", endpoint)).ShouldBe(valid ? [] : ["Sources:TcpLines:Endpoint"]);
        Errors<UdpSourceOptions>("Sources:Udp", ("Endpoint", endpoint)).ShouldBe(valid ? [] : ["Sources:Udp:Endpoint"]);
    }

    [Fact]
    public void Read_CertificateWithoutKey_IsAnError() =>
        Errors<TcpLinesSourceOptions>("Sources:TcpLines", ("Certificate", "c.pem")).ShouldBe(["Sources:TcpLines:CertificateKey"]);

    [Fact]
    public void Read_KeyWithoutCertificate_IsAnError() =>
        Errors<TcpLinesSourceOptions>("Sources:TcpLines", ("CertificateKey", "k.pem")).ShouldBe(["Sources:TcpLines:Certificate"]);

    [Fact]
    public void Read_OutOfRange_IsAnErrorEach() => Errors<UdpSourceOptions>(
        "Sources:Udp", ("MaxMessageBytes", "65528"), ("Checksum", "Crc"), ("ReceiveBuffer", "1KiB"))
        .Count.ShouldBe(3);

    [Theory]
    [InlineData("TcpLines", "127.0.0.1:9082")]
    [InlineData("Udp", "127.0.0.1:9081")]
    public void Plan_TwoRoutesOnOneEndpoint_IsAnErrorOfTheSecond(string source, string endpoint) =>
        Plan($"Routes:one:Source={source}", $"Routes:two:Source={source}").ShouldBe(
            [$"Routes:two:Sources:{source}:Endpoint = \"{endpoint}\": must be an endpoint that no other listener uses: "
                + "route 'one' already listens there. The worker could not start."]);

    [Theory]
    [InlineData("0.0.0.0:9000", "127.0.0.1:9000")]
    [InlineData("127.0.0.1:9000", "0.0.0.0:9000")]
    [InlineData("[::]:9000", "127.0.0.1:9000")]
    [InlineData("0.0.0.0:9000", "[::]:9000")]
    [InlineData("[::]:9000", "[::1]:9000")]
    [InlineData("[::ffff:127.0.0.1]:9000", "127.0.0.1:9000")]
    public void Plan_OverlappingEndpoints_AreAnErrorOfTheSecond(string first, string second)
    {
        foreach (string source in new[] { "TcpLines", "Udp" })
        {
            Plan($"Routes:one:Source={source}", $"Routes:two:Source={source}", $"Routes:one:Sources:{source}:Endpoint={first}",
                $"Routes:two:Sources:{source}:Endpoint={second}")
                .ShouldHaveSingleItem()
                .ShouldStartWith(
                    $"Routes:two:Sources:{source}:Endpoint = \"{second}\": must be an endpoint that no other listener uses: "
                        + $"route 'one' already listens on {first}");
        }
    }

    [Theory]
    [InlineData("http://127.0.0.1:9000", "127.0.0.1:9000", "there")]
    [InlineData("http://localhost:9000", "0.0.0.0:9000", "on 127.0.0.1:9000")]
    [InlineData("http://0.0.0.0:9000", "127.0.0.1:9000", "on 0.0.0.0:9000")]
    public void Plan_LinesOnTheWebServersEndpoint_IsAnError(string url, string endpoint, string where) =>
        Plan("Routes:one:Source=TcpLines", $"Hosting:Url={url}", $"Sources:TcpLines:Endpoint={endpoint}")
            .ShouldHaveSingleItem()
            .ShouldContain($"the web server (Hosting:Url) already listens {where}");

    [Theory]
    [InlineData("Routes:one:Source=Udp", "Hosting:Url=http://127.0.0.1:9000", "Sources:Udp:Endpoint=127.0.0.1:9000")]
    [InlineData(
        "Routes:one:Source=TcpLines", "Routes:two:Source=TcpLines", "Routes:one:Sources:TcpLines:Endpoint=127.0.0.1:9000",
        "Routes:two:Sources:TcpLines:Endpoint=127.0.0.2:9000")]
    [InlineData(
        "Routes:one:Source=TcpLines", "Routes:two:Source=TcpLines", "Routes:one:Sources:TcpLines:Endpoint=127.0.0.1:9000",
        "Routes:two:Sources:TcpLines:Endpoint=[::1]:9000")]
    [InlineData("Routes:one:Source=TcpLines", "Routes:two:Source=Udp", "Sources:TcpLines:Endpoint=127.0.0.1:9000", "Sources:Udp:Endpoint=127.0.0.1:9000")]
    [InlineData("Routes:one:Source=Udp", "Routes:two:Source=Udp", "Routes:two:Sources:Udp:Endpoint=127.0.0.1:9083")]
    [InlineData("Routes:one:Source=TcpLines", "Routes:two:Source=TcpLines", "Sources:TcpLines:Endpoint=127.0.0.1:0")]
    public void Plan_TwoRoutesOnEndpointsOfTheirOwn_IsValid(params string[] settings) => Plan(settings).ShouldBeEmpty();

    [Fact]
    public void Plan_RoutesWithWrongEndpointsOfTheirOwn_EachIsNamedByItsKey() =>
        Plan("Routes:one:Source=Udp", "Routes:one:Sources:Udp:Endpoint=bad1", "Routes:two:Source=Udp", "Routes:two:Sources:Udp:Endpoint=bad2")
            .Select(error => error[..error.IndexOf(':', error.IndexOf('=', StringComparison.Ordinal))])
            .ShouldBe(["Routes:one:Sources:Udp:Endpoint = \"bad1\"", "Routes:two:Sources:Udp:Endpoint = \"bad2\""]);

    private static List<string> Plan(params string[] settings) => [.. WorkerHost.Plan(new ConfigurationBuilder()
        .AddInMemoryCollection(settings.Select(setting => setting.Split('=', 2)).Select(pair => KeyValuePair.Create(pair[0], (string?)pair[1])))
        .Build()).Errors.Select(error => error.ToString())];

    private static List<string> Errors<T>(string section, params (string Key, string Value)[] values)
        where T : class, new()
    {
        SettingsReader reader = new(new ConfigurationBuilder()
            .AddInMemoryCollection(values.Select(pair => KeyValuePair.Create($"{section}:{pair.Key}", (string?)pair.Value)))
            .Build());
        reader.Read<T>(section);
        return [.. reader.Errors.Select(error => error.Key)];
    }
}
