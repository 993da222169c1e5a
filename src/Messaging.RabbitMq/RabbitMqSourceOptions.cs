using System.Net.Security;
using System.Security.Authentication;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using System.Text.RegularExpressions;
using Quayside.Messaging.Configuration;
using Quayside.Pipeline.Messages;
using RabbitMQ.Client;

namespace Quayside.Messaging.RabbitMq;

/// <summary>Section <c>Sources:RabbitMq</c>: the broker, the queue, and how the source receives from it.</summary>
internal partial class RabbitMqSourceOptions : ISelfValidating
{
    public const string Section = "Sources:RabbitMq";

    public const string SourceName = "rabbitmq";

    // A short string of AMQP 0-9-1.
    private const int MaxName = 255;

    // Below the limit of a check at start, so that the reason is reported and not the limit.
    private static readonly TimeSpan AnswerLimit = TimeSpan.FromSeconds(10);

    [Setting(
        "Address of the broker, such as amqp://host:5672/vhost; amqps:// for TLS. It may have user and password, and several hosts: "
            + "amqp://user:password@h1:5672,h2:5672/vhost", Secret = true)]
    public string Uri { get; init; } = "amqp://guest:guest@localhost:5672/";

    [Setting("User; default: the one in the address")]
    public string? User { get; init; }

    [Setting("Password of User", Secret = true)]
    public string? Password { get; init; }

    [Setting("Queue to receive from; preferably a quorum queue, which counts deliveries (docs/reference/rabbitmq.md)", Required = true)]
    public string Queue { get; init; } = string.Empty;

    [Setting("Queue for dead letters, which have reason and description as headers; default: {Queue}.dead-letters. With DeadLetterExchange, the routing key")]
    public string? DeadLetterQueue { get; init; }

    [Setting("Exchange to publish dead letters to; default: none, they go directly to DeadLetterQueue", Advanced = true)]
    public string? DeadLetterExchange { get; init; }

    [Setting(
        "Create Queue and DeadLetterQueue at the start when they are missing, as quorum queues that allow 1,000 deliveries; existing queues are never changed. "
            + "Without it a missing queue is an error")]
    public bool Declare { get; init; }

    [Setting(
        "Messages that the broker sends before the first is settled; default Intake:Concurrency, and at most that", Min = "1", Max = "10000",
        Consequence = "Messages beyond the slots wait in the worker's memory, and a kill of the worker adds a delivery to each.", Advanced = true)]
    public int? Prefetch { get; init; }

    [Setting(
        "How long a message is held while the sink fails, before it is requeued", Min = "0s", Max = "25m",
        Consequence = "RabbitMQ closes the channel of a message that is not acknowledged within its consumer_timeout, 30 minutes by default.", Advanced = true)]
    public TimeSpan MaxHoldTime { get; init; } = TimeSpan.FromMinutes(15);

    [Setting("Interval of heartbeats; a connection that is silent for two of them counts as broken", Min = "1s", Max = "10m", Advanced = true)]
    public TimeSpan Heartbeat { get; init; } = TimeSpan.FromSeconds(15);

    [Setting("PEM file of the authorities that may have signed the broker's certificate; default: those of the machine", Advanced = true)]
    public string? CaCertificate { get; init; }

    [Setting("PEM file of the worker's own certificate, for a broker that asks for one", Advanced = true)]
    public string? ClientCertificate { get; init; }

    [Setting("PEM file of the certificate's private key, not encrypted; default: the key is in ClientCertificate", Advanced = true)]
    public string? ClientCertificateKey { get; init; }

    /// <summary>The dead-letter queue in effect.</summary>
    public string DeadLetters => DeadLetterQueue ?? $"{Queue}.dead-letters";

    /// <summary>Where dead letters are published to, for people.</summary>
    public string DeadLetterTarget => DeadLetterExchange is { } exchange ? $"exchange {exchange} (key {DeadLetters})" : $"queue {DeadLetters}";

    /// <summary>The queue, for spans.</summary>
    public MessageDestination Destination => new(SourceName, Queue);

    /// <summary>The broker's address without user and password.</summary>
    public string Address =>
        string.Join(
            ", ", Hosts.Select(static host => host is null ? "the broker" : $"{host.Scheme}://{host.Host}{(host.Port < 0 ? string.Empty : $":{host.Port}")}"));

    /// <summary>The address once for each host, as in amqp://user:password@h1:5672,h2:5672/vhost; null for one that is no address.</summary>
    public IEnumerable<Uri?> Hosts => AddressParts().Match(Uri) is var parts && parts.Groups["hosts"] is { Success: true, Value: var hosts }
        ? hosts
            .Split(',')
            .Select(host => System.Uri.TryCreate($"{parts.Groups["before"]}{host}{parts.Groups["after"]}", UriKind.Absolute, out Uri? uri) ? uri : null)
        : [null];

    private bool HasTls => Uri.StartsWith("amqps:", StringComparison.OrdinalIgnoreCase);

    public void Validate(SettingsCheck check)
    {
        if (Hosts.Any(static uri => uri is not { Scheme: "amqp" or "amqps", Host.Length: > 0 } || uri.AbsolutePath.LastIndexOf('/') > 0))
        {
            check.Fail(
                nameof(Uri),
                "must be an address such as amqp://user:password@host:5672/vhost, or amqp://h1:5672,h2:5672/vhost for a cluster; a slash in the virtual host "
                    + "is written %2F. Special characters in user and password are percent-encoded (@ as %40), or set User and Password.");
        }

        else if (Hosts.First() is { } uri && uri.Query.Length + uri.Fragment.Length > 0)
        {
            // What follows a ? may be the rest of a password.
            string names = string.Join(", ", ParameterName().Matches(uri.Query).Select(static name => name.Value));
            check.Fail(
                nameof(Uri),
                $"must have no parameters{(names.Length > 0 ? $" ({names})" : string.Empty)}: instead of heartbeat, cacertfile, certfile and keyfile set "
                    + "Heartbeat, CaCertificate, ClientCertificate and ClientCertificateKey; the others have no setting. "
                    + "In a password, ? is written %3F, and # %23.");
        }

        foreach ((string name, string? value) in (ReadOnlySpan<(string, string?)>)[
                (nameof(Queue), Queue), (nameof(DeadLetterQueue), DeadLetters), (nameof(DeadLetterExchange), DeadLetterExchange)])
        {
            if (value is not null && Encoding.UTF8.GetByteCount(value) > MaxName)
            {
                check.Fail(name, $"must have at most {MaxName} bytes.");
            }
        }

        if ((User is null) != (Password is null))
        {
            check.Fail(
                User is null ? nameof(Password) : nameof(User), "must be set together with the other: User and Password.", "Neither is taken from Uri then.",
                nameof(User), nameof(Password));
        }

        if (DeadLetterExchange is null && DeadLetters == Queue)
        {
            check.Fail(
                nameof(DeadLetterQueue), "must not be the same queue as Queue.", "Dead letters would be received as messages.", nameof(Queue),
                nameof(DeadLetterExchange));
        }

        ValidateTls(check);
    }

    /// <summary>Opens a connection to one of the hosts, in random order.</summary>
    /// <param name="purpose">What the broker shows it as.</param>
    /// <param name="cancellationToken">Cancels connecting.</param>
    public virtual Task<IConnection> ConnectAsync(string purpose, CancellationToken cancellationToken)
    {
        ConnectionFactory[] hosts = [.. Hosts.Select(host => CreateFactory(purpose, host!))];
        return hosts[0].CreateConnectionAsync(hosts.Select(static host => host.Endpoint), hosts[0].ClientProvidedName, cancellationToken);
    }

    /// <summary>The connections' settings. The worker reconnects by itself: a delivery can be acknowledged only on its own channel.</summary>
    /// <param name="purpose">What the broker shows it as.</param>
    /// <param name="host">The address with one host.</param>
    public ConnectionFactory CreateFactory(string purpose, Uri host)
    {
        ConnectionFactory factory = new()
        {
            Uri = host,
            AutomaticRecoveryEnabled = false,
            TopologyRecoveryEnabled = false,
            RequestedHeartbeat = Heartbeat,
            RequestedConnectionTimeout = AnswerLimit,
            ContinuationTimeout = AnswerLimit,
            HandshakeContinuationTimeout = AnswerLimit,
            ClientProvidedName = $"worker, {purpose} {Queue}",
        };
        factory.SocketFactory = family => new BrokerSocket(ConnectionFactoryBase.DefaultSocketFactory(family).Client, isPlain: !HasTls);
        factory.UserName = User ?? factory.UserName;
        factory.Password = Password ?? factory.Password;
        if (HasTls)
        {
            // The client accepts any hostname by default.
            factory.Ssl.AcceptablePolicyErrors = SslPolicyErrors.None;
            factory.Ssl.Version = SslProtocols.None;
            factory.Ssl.Certs = ClientCertificate is null ? null : [PresentedCertificate.Read(ClientCertificate, ClientCertificateKey, password: null)[0]];
            factory.Ssl.CertificateValidationCallback = CaCertificate is null ? null : TrustOnly(LoadAuthorities());
        }

        return factory;
    }

    private void ValidateTls(SettingsCheck check)
    {
        if (!HasTls && (CaCertificate ?? ClientCertificate) is not null)
        {
            check.Fail(
                CaCertificate is null ? nameof(ClientCertificate) : nameof(CaCertificate), "needs an address amqps:// in Uri.", "It would have no effect.",
                nameof(Uri), nameof(CaCertificate), nameof(ClientCertificate));
        }

        if (ClientCertificateKey is not null && ClientCertificate is null)
        {
            check.Fail(
                nameof(ClientCertificate), $"must be set when {nameof(ClientCertificateKey)} is.", "It would have no effect.", nameof(ClientCertificateKey));
        }
        else if (ClientCertificate is not null && PresentedCertificate.FindProblem(ClientCertificate, ClientCertificateKey, password: null) is { } problem)
        {
            check.Fail(nameof(ClientCertificate), $"with {nameof(ClientCertificateKey)} {problem}", null, nameof(ClientCertificateKey));
        }

        try
        {
            _ = CaCertificate is null ? null : LoadAuthorities();
        }
        catch (Exception exception) when (exception is CryptographicException or IOException or UnauthorizedAccessException or ArgumentException)
        {
            check.Fail(nameof(CaCertificate), $"must be a PEM file with certificates: {SettingText.Mask(exception.Message)}");
        }
    }

    [GeneratedRegex("^(?<before>[^:/?#]+://([^/?#]*@)?)(?<hosts>[^/?#@]*)(?<after>([/?#].*)?)$", RegexOptions.ExplicitCapture | RegexOptions.Singleline)]
    private static partial Regex AddressParts();

    [GeneratedRegex("(?<=[?&])[A-Za-z_-]{1,40}(?==[^@]*$)")]
    private static partial Regex ParameterName();

    private X509Certificate2Collection LoadAuthorities()
    {
        X509Certificate2Collection authorities = [];
        authorities.ImportFromPemFile(CaCertificate!);
        return authorities.Count > 0 ? authorities : throw new CryptographicException("It has no certificate.");
    }

    private static RemoteCertificateValidationCallback TrustOnly(X509Certificate2Collection authorities) => (_, certificate, chain, errors) =>
    {
        if (certificate is not X509Certificate2 given || chain is null || (errors & ~SslPolicyErrors.RemoteCertificateChainErrors) != SslPolicyErrors.None)
        {
            return false;
        }

        chain.ChainPolicy.TrustMode = X509ChainTrustMode.CustomRootTrust;
        chain.ChainPolicy.CustomTrustStore.AddRange(authorities);
        chain.ChainPolicy.RevocationMode = X509RevocationMode.NoCheck;
        return chain.Build(given);
    };
}
