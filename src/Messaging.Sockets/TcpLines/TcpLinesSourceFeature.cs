using System.Diagnostics.CodeAnalysis;
using System.Net;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Sources;
using Quayside.Pipeline.Buffers;

namespace Quayside.Messaging.Sockets.TcpLines;

/// <summary>The source that routes name as <c>TcpLines</c>.</summary>
internal sealed class TcpLinesSourceFeature : ISourceFeature
{
    public string Name => "TcpLines";

    public IReadOnlyList<SettingsSection> Settings { get; } = [SettingsSection.Of<TcpLinesSourceOptions>(TcpLinesSourceOptions.Section)];

    public SourcePlan Configure(SettingsReader settings, string route)
    {
        TcpLinesSourceOptions options = settings.Read<TcpLinesSourceOptions>(TcpLinesSourceOptions.Section, route);
        SourceEndpoint.Claim(settings, "tcp", TcpLinesSourceOptions.Section, options.Endpoint, route);
        return new SourcePlan
        {
            Create = services => new TcpLinesMessageSource(services, options, services.Services.GetService<BufferPool>() ?? BufferPool.Shared)
            {
                Certificate = TlsCertificate.Open(options, route, services.Time, services.Loggers.CreateLogger<TcpLinesMessageSource>()),
            },
            KeepsDeadLetters = true,
            HoldsOnlyCopies = true,
            OnComplete = options.Acknowledge ? CompletionEffect.Acknowledges : CompletionEffect.None,
            CanGive = static _ => false,
        };
    }
}

/// <summary>Settings of the TCP lines source, section <c>Sources:TcpLines</c>.</summary>
internal sealed class TcpLinesSourceOptions : ISelfValidating
{
    public const string Section = "Sources:TcpLines";

    [Setting("Address and port to accept connections on, such as 127.0.0.1:9082, 0.0.0.0:9082 or [::1]:9082; loopback by default, port 0 picks a free one")]
    public string Endpoint { get; set; } = "127.0.0.1:9082";

    [Setting("Largest line in bytes, without its end; a longer one is counted and skipped up to its end", Min = "1", Max = "256MiB", Bytes = true,
        Consequence = "Each connection holds up to one incomplete line in memory.")]
    public int MaxLineBytes { get; set; } = 64 << 10;

    [Setting(
        "How messages are told apart: Lf (a line each), CrLf, or OctetCounting (RFC 6587). MaxLineBytes, "
            + "and whatever else is said of lines, applies to each of them")]
    public Framing Framing { get; set; }

    [Setting("Answer each line after its settlement: ok {n}, or error {n} {reason}; n is the line's number on its connection")]
    public bool Acknowledge { get; set; }

    [Setting("How to treat bytes after the last line end when a sender ends its stream: Drop (and count) or Accept (as the last line)", Advanced = true)]
    public TailRule UnterminatedTail { get; set; }

    [Setting("Maximum open connections; further ones are refused", Min = "1", Max = "100000",
        Consequence = "Each open connection takes about 20 KB, up to 200 KB while it sends, and a descriptor.", Advanced = true)]
    public int MaxConnections { get; set; } = 1_000;

    [Setting("Maximum open connections per address", Min = "1", Max = "100000", Advanced = true)]
    public int MaxConnectionsPerAddress { get; set; } = 64;

    [Setting("Time from the connection to the end of its first line, TLS handshake included", Min = "100ms", Max = "24h",
        Consequence = "Connections that send nothing stay open this long.", Advanced = true)]
    public TimeSpan FirstLineTimeout { get; set; } = TimeSpan.FromSeconds(30);

    [Setting(
        "Time in which another line must end while none is in flight; a blank line counts. Also the time in which the sender must read an acknowledgement",
        Min = "100ms", Max = "24h",
        Consequence = "Senders that are slow on purpose keep their connections this long per line.", Advanced = true)]
    public TimeSpan IdleTimeout { get; set; } = TimeSpan.FromSeconds(30);

    [Setting("PEM file of the server's certificate and its intermediates; with it connections use TLS. Read again every minute, so a renewal needs no restart")]
    public string? Certificate { get; set; }

    [Setting("PEM file of the certificate's key, not encrypted")]
    public string? CertificateKey { get; set; }

    public void Validate(SettingsCheck check)
    {
        if (!TryParseEndpoint(out IPEndPoint? endpoint))
        {
            check.Fail(
                nameof(Endpoint), "must be an IP address and a port, such as 127.0.0.1:9082 or [::]:9082.", "There would be nothing to accept connections on.");
        }
        else if (!IPAddress.IsLoopback(endpoint.Address))
        {
            check.Warn(
                nameof(Endpoint),
                $"accepts lines from other machines {(Certificate is null ? "without TLS or authentication" : "without authentication")}.",
                "Anyone who can reach the port can store messages: restrict access with a firewall or network policy.",
                nameof(Certificate));
        }

        if (UnterminatedTail == TailRule.Accept && Framing == Framing.OctetCounting)
        {
            check.Fail(
                nameof(UnterminatedTail), $"must be {nameof(TailRule.Drop)} with {nameof(Framing)}={Framing}: a message shorter than its length is truncated.",
                null, nameof(Framing));
        }

        if (Certificate is null != CertificateKey is null)
        {
            (string missing, string given) =
                Certificate is null ? (nameof(Certificate), nameof(CertificateKey)) : (nameof(CertificateKey), nameof(Certificate));
            check.Fail(missing, $"must be set when {given} is: TLS needs both.", null, given);
        }
    }

    /// <summary>Parses the endpoint; succeeds after validation.</summary>
    public bool TryParseEndpoint([NotNullWhen(true)] out IPEndPoint? endpoint) => SourceEndpoint.TryParse(Endpoint, out endpoint);
}

/// <summary>How to treat bytes after the last line end when a sender ends its stream.</summary>
internal enum TailRule
{
    /// <summary>Drop and count them: a whole line cannot be told from a truncated one.</summary>
    Drop = 0,

    /// <summary>Accept them as the last line, unless the connection breaks.</summary>
    Accept,
}
