using Microsoft.Extensions.Configuration;
using Worker.Configuration;
using Worker.Sources.TcpLines;
using Worker.Sources.Udp;

namespace Worker.Tests.Sources.TcpLines;

/// <summary>The settings of both sources that listen by themselves.</summary>
public sealed class TcpLinesSourceOptionsTests
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
        "Sources:Udp", ("MaxMessageBytes", "65528"), ("Checksum", "Crc"), ("Receiving", "Fast"), ("ReceiveBuffer", "1KiB"), ("ChannelCapacity", "-1"))
        .Count.ShouldBe(5);

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
