using System.Diagnostics.CodeAnalysis;
using System.Net;
using Messaging.Configuration;

namespace Messaging.Sockets.TcpLines;

/// <summary>Settings of the TCP lines source, section <c>Sources:TcpLines</c>.</summary>
internal sealed class TcpLinesSourceOptions : ISelfValidating
{
    public const string Section = "Sources:TcpLines";

    [Setting("Address and port connections are accepted on, such as 127.0.0.1:9082, 0.0.0.0:9082 or [::1]:9082; loopback unless you say otherwise, port 0 picks a free one")]
    public string Endpoint { get; set; } = "127.0.0.1:9082";

    [Setting("Largest line in bytes, without its end; a longer one is counted and skipped up to its end", Min = "1", Max = "256MiB", Bytes = true,
        Consequence = "A connection holds up to one line in memory before it is a message.")]
    public int MaxLineBytes { get; set; } = 64 << 10;

    [Setting("Answer each line after its settlement: ok {n}, or error {n} {reason}; n is the line's number on its connection")]
    public bool Acknowledge { get; set; }

    [Setting("What becomes of bytes behind the last line end when a sender ends its stream: Drop (counted; no message) or Accept (the last line)")]
    public TailRule UnterminatedTail { get; set; }

    [Setting("Connections at once; beyond it a new one is closed", Min = "1", Max = "100000",
        Consequence = "Each open connection takes about 20 KB, up to 200 KB while it sends, and a descriptor.")]
    public int MaxConnections { get; set; } = 1_000;

    [Setting("Connections at once of one address", Min = "1", Max = "100000")]
    public int MaxConnectionsPerAddress { get; set; } = 64;

    [Setting("Time from the connection to the end of its first line, TLS handshake included", Min = "100ms", Max = "24h",
        Consequence = "Connections that say nothing hold their places this long.")]
    public TimeSpan FirstLineTimeout { get; set; } = TimeSpan.FromSeconds(30);

    [Setting("Time in which another line must end, while none is in work; a blank line counts. Also the time an acknowledgement may wait to be read", Min = "100ms", Max = "24h",
        Consequence = "Senders that are slow on purpose hold their places this long for every line.")]
    public TimeSpan IdleTimeout { get; set; } = TimeSpan.FromSeconds(30);

    [Setting("PEM file of the server's certificate, its intermediates behind it; with it connections are TLS")]
    public string? Certificate { get; set; }

    [Setting("PEM file of the certificate's key, not encrypted")]
    public string? CertificateKey { get; set; }

    public void Validate(SettingsCheck check)
    {
        if (!TryParseEndpoint(out IPEndPoint? endpoint))
        {
            check.Fail(nameof(Endpoint), "must be an IP address and a port, such as 127.0.0.1:9082 or [::]:9082.", "There would be nothing to accept connections on.");
        }
        else if (!IPAddress.IsLoopback(endpoint.Address))
        {
            check.Warn(
                nameof(Endpoint),
                $"accepts lines from other machines {(Certificate is null ? "without TLS or authentication" : "without authentication")}.",
                "Anyone who reaches the port can store messages: restrict it by firewall or network policy.",
                nameof(Certificate));
        }

        if (Certificate is null != CertificateKey is null)
        {
            (string missing, string given) = Certificate is null ? (nameof(Certificate), nameof(CertificateKey)) : (nameof(CertificateKey), nameof(Certificate));
            check.Fail(missing, $"must be set when {given} is: TLS needs both.", null, given);
        }
    }

    /// <summary>The endpoint as an address; true once it was validated.</summary>
    public bool TryParseEndpoint([NotNullWhen(true)] out IPEndPoint? endpoint) => SourceEndpoint.TryParse(Endpoint, out endpoint);
}

/// <summary>What becomes of bytes behind the last line end when a sender ends its stream.</summary>
internal enum TailRule
{
    /// <summary>They are no message: counted and dropped, since nothing tells a whole line from one that was cut off.</summary>
    Drop = 0,

    /// <summary>They are the last line. A stream that breaks off is still dropped.</summary>
    Accept,
}
