using Messaging.Tests.Hosting;
using Microsoft.Extensions.Configuration;
using Quayside.Messaging.CommandLine;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Hosting;
using Quayside.Worker;
using Shared.Hosting;

namespace Messaging.Tests.Configuration;

/// <summary>
/// What the start would refuse, <c>validate</c> refuses: for each setting that is text or an address (a file, folder, queue, host, name, key ...), values
/// that cannot work, or the reason why every text can.
/// </summary>
public sealed class CheckedSettingsTests : IDisposable
{
    private const string Sqs = "--Routes:r:Source=Sqs --Sources:Sqs:Queue=orders --Aws:Region=eu-west-1 --Aws:AccessKeyId=a --Aws:SecretAccessKey=b";
    private const string S3 =
        "--Routes:r:Source=Channel --Routes:r:Sink=S3 --Sinks:S3:Bucket=bucket --Aws:Region=eu-west-1 --Aws:AccessKeyId=a --Aws:SecretAccessKey=b";
    private const string S3WithoutKeys = "--Routes:r:Source=Channel --Routes:r:Sink=S3 --Sinks:S3:Bucket=bucket --Aws:Region=eu-west-1";
    private const string Blobs =
        "--Routes:r:Source=Channel --Routes:r:Sink=AzureBlobs --Sinks:AzureBlobs:Container=archive --Sinks:AzureBlobs:Endpoint=https://a.blob.core.windows.net";
    private const string ServiceBus =
        "--Routes:r:Source=ServiceBus --Sources:ServiceBus:FullyQualifiedNamespace=a.servicebus.windows.net --Sources:ServiceBus:Queue=orders";
    private const string Topic = "--Routes:r:Source=ServiceBus --Sources:ServiceBus:FullyQualifiedNamespace=a.servicebus.windows.net "
        + "--Sources:ServiceBus:Topic=t --Sources:ServiceBus:Subscription=s";
    private const string RabbitMq = "--Routes:r:Source=RabbitMq --Sources:RabbitMq:Queue=orders";
    private const string RabbitMqTls = RabbitMq + " --Sources:RabbitMq:Uri=amqps://rabbit.example/";
    private const string TcpLines = "--Routes:r:Source=TcpLines";
    private const string Tls = "--Routes:r:Source=TcpLines --Sources:TcpLines:Certificate=$pem --Sources:TcpLines:CertificateKey=$key";
    private const string Udp = "--Routes:r:Source=Udp";
    private const string CloudFront = "--Routes:r:Source=Channel --Routes:r:Handler=CloudFront --Handlers:CloudFront:Buckets=logs "
        + "--Routes:r:Sink=Elasticsearch --Sinks:Elasticsearch:Endpoint=https://search.example --Sinks:Elasticsearch:Index=logs --Aws:Region=eu-west-1 "
        + "--Aws:AccessKeyId=a --Aws:SecretAccessKey=b";
    private const string ClientCertificate = CloudFront + " --Sinks:Elasticsearch:ClientCertificate=$pem --Sinks:Elasticsearch:ClientCertificateKey=$key";
    private const string Channel = "--Routes:r:Source=Channel";
    private const string Http = "--Routes:r:Source=Http";

    private static readonly Dictionary<string, (string Arguments, string[] Wrong)> Table = new(StringComparer.Ordinal)
    {
        ["Pipeline:Form"] = (Channel, ["Fastest"]),
        ["Pipeline:Parts"] = (Channel, ["NoSuchPart"]),
        ["Routes:{name}:Source"] = (Channel, ["Pigeon", "Sqss", "Channel,Channel"]),
        ["Envelopes:ExtendedClient:Buckets"] =
            ("--Routes:r:Source=Channel --Routes:r:Envelope=ExtendedClient --Envelopes:ExtendedClient:Buckets=payloads", ["Bad_Bucket", "a"]),
        ["Envelopes:Sns:Topics"] = (
            Http + " --Routes:r:Envelope=Sns --Envelopes:Sns:Topics=arn:aws:sns:eu-west-1:123456789012:orders",
            ["orders", "arn:aws:sqs:eu-west-1:123456789012:orders"]),
        ["Routes:{name}:Envelope"] = (Channel, ["Sms", "Sns,Gzap"]),
        ["Routes:{name}:Handler"] = (Channel, ["Archiv"]),
        ["Routes:{name}:Sink"] = (Channel, ["S4", "Elasticsearch"]),
        ["Sources:Sqs:Queue"] = (
            Sqs, ["no spaces", "https://sqs.eu-west-1.amazonaws.com/orders", "arn:aws:sns:eu-west-1:123456789012:orders",
                "https://queues.example/123456789012/orders", "arn:aws:sqs:us-east-1:123456789012:orders"]),
        ["Sources:Sqs:DeadLetterQueue"] = (Sqs, ["no spaces", "orders", "arn:aws:sqs:eu-west-1:orders"]),
        ["Sources:Udp:Endpoint"] = (Udp, ["9081", "localhost:9081", "127.0.0.1:99999"]),
        ["Sources:TcpLines:Endpoint"] = (TcpLines, ["9082", "localhost:9082", "127.0.0.1:99999"]),
        ["Sources:TcpLines:Certificate"] = (Tls, ["$missing", "$folder", "$empty", "$key", "$otherpem"]),
        ["Sources:TcpLines:CertificateKey"] = (Tls, ["$missing", "$folder", "$empty", "$pem", "$encrypted", "$otherkey"]),
        ["Sources:ServiceBus:ConnectionString"] = (
            "--Routes:r:Source=ServiceBus --Sources:ServiceBus:Queue=orders "
                + "--Sources:ServiceBus:ConnectionString=Endpoint=sb://a.example;SharedAccessKeyName=a;SharedAccessKey=b",
            ["orders.servicebus.windows.net", "Endpoint=http://a.example;SharedAccessKeyName=a;SharedAccessKey=b",
                "Endpoint=sb://a.example;SharedAccessKeyName=a", "Endpoint=sb://a.example;SharedAccessKeyName=a;SharedAccessKey=b;EntityPath=others"]),
        ["Sources:ServiceBus:FullyQualifiedNamespace"] = (ServiceBus, ["https://a.servicebus.windows.net", "a.servicebus.windows.net/orders", "a b", "sb://a"]),
        ["Sources:ServiceBus:Queue"] = (ServiceBus, ["orders?", "/orders", "orders//new", "or ders", "$long"]),
        ["Sources:ServiceBus:Topic"] = (Topic, ["topic#", "topic/", "$long"]),
        ["Sources:ServiceBus:Subscription"] = (Topic, ["a/b", "a b", "$long"]),
        ["Sources:RabbitMq:Uri"] = (RabbitMq, ["rabbit.example", "http://rabbit.example", "amqp://", "amqp://rabbit.example/a/b"]),
        ["Sources:RabbitMq:User"] = (RabbitMq, ["worker"]),
        ["Sources:RabbitMq:Password"] = (RabbitMq, ["word"]),
        ["Sources:RabbitMq:Queue"] = (RabbitMq, ["$long"]),
        ["Sources:RabbitMq:DeadLetterQueue"] = (RabbitMq, ["orders", "$long"]),
        ["Sources:RabbitMq:DeadLetterExchange"] = (RabbitMq, ["$long"]),
        ["Sources:RabbitMq:CaCertificate"] = (RabbitMqTls, ["$missing", "$folder", "$empty", "$key"]),
        ["Sources:RabbitMq:ClientCertificate"] = (
            RabbitMqTls + " --Sources:RabbitMq:ClientCertificate=$pem --Sources:RabbitMq:ClientCertificateKey=$key",
            ["$missing", "$folder", "$empty", "$otherpem"]),
        ["Sources:RabbitMq:ClientCertificateKey"] = (
            RabbitMqTls + " --Sources:RabbitMq:ClientCertificate=$pem --Sources:RabbitMq:ClientCertificateKey=$key",
            ["$missing", "$folder", "$empty", "$encrypted", "$otherkey"]),
        ["Handlers:Archive:Template"] = (Channel, ["{Product", "../{MessageId}", "{MessageId:nonsense}"]),
        ["Handlers:Archive:KeyPrefix"] = (Channel, ["a//b", "../a"]),
        ["Handlers:Archive:MessageIdProperty"] = (Channel, ["a..b", "event.id:nonsense"]),
        ["Handlers:Archive:DateFormats"] = (Channel, ["HH:mm", "%"]),
        ["Handlers:Archive:TimeZone"] = (Channel, ["Europe/Nowhere", "+02:00"]),
        ["Handlers:CloudFront:Buckets"] = (CloudFront, ["Upper", "a", "ok-bucket,no_bucket", "logs/2026"]),
        ["Sources:Http:Headers"] = (Http, ["Authorization", "*", "x-*-y", "a b"]),
        ["Handlers:CloudFront:Columns"] = (CloudFront, ["=", "date=a b", "date,date"]),
        ["Handlers:CloudFront:OptionalColumns"] = (CloudFront, ["=", "b=a b", "date"]),
        ["Handlers:CloudFront:TimestampField"] = (CloudFront, ["a b"]),
        ["Recoverability:DeadLetterOn"] = (Channel, ["NoSuchException", "System.String", "TimeoutException,NoSuch"]),
        ["Recoverability:RetryOn"] = (Channel, ["NoSuchException", "System.String"]),
        ["Sinks:Directory:Path"] = (Channel, ["/proc/worker\0"]),
        ["Sinks:Directory:FileMode"] = (Channel, ["0777", "rw", "0400"]),
        ["Sinks:S3:Bucket"] = (S3, ["Upper", "a", "a..b", "a/b"]),
        ["Sinks:S3:Region"] = (S3, ["EU", "eu west"]),
        ["Sinks:S3:Endpoint"] = (S3, ["store.example", "ftp://store.example", "http://store.example", "https://store.example/?query", "https://a b"]),
        ["Sinks:S3:AccessKeyId"] = (S3WithoutKeys, ["a"]),
        ["Sinks:S3:SecretAccessKey"] = (S3WithoutKeys, ["b"]),
        ["Sinks:S3:Profile"] = (S3WithoutKeys, ["no-such-profile"]),
        ["Sinks:S3:ContentType"] = (S3, ["json"]),
        ["Sinks:S3:ServerSideEncryption"] = (S3, ["aes"]),
        ["Sinks:S3:KmsKeyId"] = (S3 + " --Sinks:S3:ServerSideEncryption=aws:kms", ["arn:aws:s3:::bucket", "arn:aws:kms:eu-west-1:123456789012:bucket/a"]),
        ["Sinks:S3:StorageClass"] = (S3, ["cheap"]),
        ["Sinks:S3:Acl"] = (S3, ["log-delivery-write", "open"]),
        ["Sinks:S3:ContentEncoding"] = (S3, ["gz\u00efp"]),
        ["Sinks:S3:ExpectedBucketOwner"] = (S3, ["12345678901", "my-account-1"]),
        ["Sinks:AzureBlobs:ConnectionString"] = (
            "--Routes:r:Source=Channel --Routes:r:Sink=AzureBlobs --Sinks:AzureBlobs:Container=archive "
                + "--Sinks:AzureBlobs:ConnectionString=UseDevelopmentStorage=true",
            ["a.blob.core.windows.net", "AccountName=a", "AccountName=a;AccountKey=no!base64", "AccountName=a;AccountKey=YQ==;BlobEndpoint=http://a.example"]),
        ["Sinks:AzureBlobs:Endpoint"] =
            (Blobs, ["a.blob.core.windows.net", "http://127.0.0.1:10000", "https://a.blob.core.windows.net/archive", "https://a b"]),
        ["Sinks:AzureBlobs:Container"] = (Blobs, ["Upper", "a", "a--b", "a/b"]),
        ["Sinks:AzureBlobs:ContentType"] = (Blobs, ["json"]),
        ["Sinks:AzureBlobs:ContentEncoding"] = (Blobs, ["gz\u00efp"]),
        ["Sinks:Elasticsearch:Endpoint"] = (
            CloudFront,
            ["search.example", "ftp://search.example", "http://search.example", "https://user:word@search.example", "https://a b",
                "https://a.example,b.example", "https://a.example,http://b.example", "https://user:word@a.example,https://b.example"]),
        ["Sinks:Elasticsearch:ClientCertificate"] = (ClientCertificate, ["$missing", "$folder", "$empty", "$otherpem"]),
        ["Sinks:Elasticsearch:ClientCertificateKey"] = (ClientCertificate, ["$missing", "$folder", "$empty", "$encrypted", "$otherkey"]),
        ["Sinks:Elasticsearch:ClientCertificatePassword"] = (
            CloudFront
                + " --Sinks:Elasticsearch:ClientCertificate=$pem --Sinks:Elasticsearch:ClientCertificateKey=$encrypted "
                + "--Sinks:Elasticsearch:ClientCertificatePassword=word", ["wrong"]),
        ["Sinks:Elasticsearch:Index"] = (CloudFront, ["Upper", "_a", "a b", "a/b"]),
        ["Sinks:Elasticsearch:Username"] = (CloudFront, ["a"]),
        ["Sinks:Elasticsearch:Password"] = (CloudFront, ["b"]),
        ["Sinks:Elasticsearch:ApiKey"] = (CloudFront + " --Sinks:Elasticsearch:Username=a --Sinks:Elasticsearch:Password=b", ["c"]),
        ["Sinks:Elasticsearch:Pipeline"] = (CloudFront, ["a\u0001b"]),
        ["Hosting:DocsUrl"] = (Http, ["docs.example.com/{page}", "ftp://docs.example.com/{page}", "https://docs.example.com/", "javascript:alert('{page}')"]),
        ["Aws:Region"] = ("--Routes:r:Source=Sqs --Sources:Sqs:Queue=orders --Aws:AccessKeyId=a --Aws:SecretAccessKey=b", ["EU", "eu west"]),
        ["Aws:Endpoint"] = (Sqs, ["store.example", "ftp://store.example", "http://store.example", "https://store.example/path"]),
        ["Aws:AccessKeyId"] = (S3WithoutKeys, ["a"]),
        ["Aws:SecretAccessKey"] = (S3WithoutKeys, ["b"]),
        ["Aws:SessionToken"] = (S3, ["tökén"]),
        ["Aws:Profile"] = (S3WithoutKeys, ["no-such-profile"]),
        ["Hosting:Url"] = (Http, ["127.0.0.1:8080", "https://127.0.0.1:8080", "http://worker.example:8080", "http://127.0.0.1:8080/path"]),
        ["Hosting:AllowedHosts"] = (Http, ["http://a.example", "a.example:80", "a b"]),
        ["Hosting:Token"] = (Http, ["short"]),
    };

    private static readonly Dictionary<string, string> AnyTextWorks = new(StringComparer.Ordinal)
    {
        ["DeadLetters:Path"] = "only the start can tell whether a folder can be written",
        ["Handlers:CloudFront:KeyPrefix"] = "keys of S3 are any text",
        ["Sources:Http:WebhookOrigins"] = "origins are compared as text",
        ["Sinks:S3:SessionToken"] = "only AWS knows whether it is valid",
    };

    private readonly TemporaryFolder _folder = new();

    public static TheoryData<string, string> WrongValues
    {
        get
        {
            TheoryData<string, string> rows = [];
            foreach ((string key, (_, string[] wrong)) in Table)
            {
                foreach (string value in wrong)
                {
                    rows.Add(key, value);
                }
            }

            return rows;
        }
    }

    public void Dispose() => _folder.Dispose();

    [Theory]
    [MemberData(nameof(WrongValues))]
    public async Task Value_ThatCannotWork_IsReported(string key, string value)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "names of files on Unix");
        string name = key[(key.LastIndexOf(':') + 1)..];
        string[] arguments = [.. Table[key].Arguments.Split(' ').Select(Fill)];

        (await ProblemsAsync(arguments)).ShouldNotContain(
            problem => problem.Contains(name, StringComparison.OrdinalIgnoreCase) && !IsNotBuilt(problem), "The other arguments are right.");
        IReadOnlyList<string> problems = await ProblemsAsync([.. arguments, $"--{key.Replace("{name}", "r", StringComparison.Ordinal)}={Fill(value)}"]);

        problems.ShouldContain(problem => problem.Contains(name, StringComparison.OrdinalIgnoreCase) && !IsNotBuilt(problem), string.Join('\n', problems));
    }

    /// <summary>A new setting needs a row, or a reason.</summary>
    [Fact]
    public void Settings_ThatAreTextOrAddresses_AreInTheTable()
    {
        string[] settings = [.. new WorkerDefinition(Program.AddFeatures).Sections
            .Where(section => section.SettingsType is not null)
            .SelectMany(
                section => SettingProperty
                    .Of(section.SettingsType!)
                    .Where(property => property.Type == typeof(string) || property.Type == typeof(string[]) || property.Type == typeof(Uri))
                    .Select(property => $"{section.Name}:{property.Name}"))];

        settings.Length.ShouldBeGreaterThan(40);
        settings.Except(Table.Keys).Except(AnyTextWorks.Keys).ShouldBeEmpty();
        Table.Keys.Concat(AnyTextWorks.Keys).Except(settings).ShouldBeEmpty();
    }

    // The build without Azure's client refuses every route of Service Bus, in these words.
    private static bool IsNotBuilt(string problem) => problem.Contains("no Azure Service Bus client", StringComparison.Ordinal);

    private static async Task<IReadOnlyList<string>> ProblemsAsync(string[] arguments)
    {
        IConfigurationRoot configuration = WorkerConfiguration.Build(configFile: null, arguments, readSettingsFile: false);
        IReadOnlyList<ConfigurationError> errors = WorkerHost.Plan(configuration).Errors;
        return errors.Count > 0 ? [.. errors.Select(error => error.ToString())] : await ContainerCheckTests.FindAsync(arguments);
    }

    /// <summary>Replaces the name of a file by its path, and makes the file.</summary>
    private string Fill(string argument)
    {
        int at = argument.IndexOf('$', StringComparison.Ordinal);
        if (at < 0)
        {
            return argument;
        }

        string name = argument[(at + 1)..].Split('/')[0];
        string path = _folder[name];
        switch (name)
        {
            case "file" or "empty":
                File.WriteAllText(path, string.Empty);
                break;
            case "folder":
                Directory.CreateDirectory(path);
                break;
            case "withfile":
                Directory.CreateDirectory(path);
                File.WriteAllText(Path.Combine(path, ".tmp"), string.Empty);
                break;
            case "link":
                if (!Path.Exists(path) && new FileInfo(path).LinkTarget is null)
                {
                    File.CreateSymbolicLink(path, _folder["nowhere"]);
                }

                break;
            case "long":
                return argument[..at] + new string('a', 261);
            case "pem" or "key" or "encrypted":
                PemFiles.Write(_folder["pem"], _folder["key"], _folder["encrypted"]);
                break;
            case "otherpem" or "otherkey":
                PemFiles.Write(_folder["otherpem"], _folder["otherkey"], _folder["otherencrypted"]);
                break;
        }

        return argument[..at] + path + argument[(at + 1 + name.Length)..];
    }
}
