using Messaging.CloudFront;
using Messaging.Configuration;
using Microsoft.Extensions.Configuration;

namespace Worker.Tests.CloudFront;

/// <summary>The start reports every wrong setting.</summary>
public sealed class CloudFrontOptionsTests
{
    [Fact]
    public void Configure_BucketsOnly_IsValid() => ErrorsOf("Handlers:CloudFront:Buckets=logs, other-logs").ShouldBeEmpty();

    [Fact]
    public void Configure_Nothing_AsksForBuckets() => ErrorsOf().ShouldHaveSingleItem().ShouldContain("Handlers:CloudFront:Buckets");

    [Theory]
    [InlineData("Handlers:CloudFront:Buckets=logs,../x", "Buckets")]
    [InlineData("Handlers:CloudFront:Buckets=LOGS", "Buckets")]
    [InlineData("Handlers:CloudFront:Columns=date, date", "Columns")]
    [InlineData("Handlers:CloudFront:Columns=da te", "Columns")]
    [InlineData("Handlers:CloudFront:OptionalColumns=date", "OptionalColumns")]
    [InlineData("Handlers:CloudFront:KeyEncoding=Base64", "KeyEncoding")]
    [InlineData("Handlers:CloudFront:MaxRatio=1", "MaxRatio")]
    [InlineData("Handlers:CloudFront:MaxRowBytes=5MiB", "MaxRowBytes")]
    [InlineData("Handlers:CloudFront:MaxBadRows=-1", "MaxBadRows")]
    [InlineData("Handlers:CloudFront:ObjectTimeout=2m", "ObjectTimeout")]
    [InlineData("Intake:MessageTimeout=30s", "ObjectTimeout")]
    [InlineData("Handlers:CloudFront:Column=date", "Column")]
    public void Configure_WrongSetting_IsNamed(string setting, string name) =>
        ErrorsOf("Handlers:CloudFront:Buckets=logs", setting).ShouldHaveSingleItem().ShouldContain($"Handlers:CloudFront:{name}");

    [Fact]
    public void Configure_WrongTimestampField_ErrorOffersNone() =>
        ErrorsOf("Handlers:CloudFront:Buckets=logs", "Handlers:CloudFront:TimestampField=no field").ShouldHaveSingleItem().ShouldBe(
            "Handlers:CloudFront:TimestampField = \"no field\": must be a field name of 1 to 128 letters, digits, _ - @ or dots, or None for documents without a timestamp.");

    [Theory]
    [InlineData("None", "")]
    [InlineData("none", "")]
    [InlineData("NONE", "")]
    [InlineData("at", "at")]
    [InlineData("None.at", "None.at")]
    public void Timestamp_NoneInAnyCase_IsEmpty(string field, string expected)
    {
        SettingsReader reader = Read("Handlers:CloudFront:Buckets=logs", $"Handlers:CloudFront:TimestampField={field}");

        reader.Read<CloudFrontOptions>(CloudFrontOptions.Section, "logs").Timestamp.ShouldBe(expected);

        reader.Errors.ShouldBeEmpty();
    }

    private static string[] ErrorsOf(params string[] settings)
    {
        SettingsReader reader = Read(settings);
        new CloudFrontHandlerFeature().Configure(reader, "logs");
        return [.. reader.Errors.Select(error => error.ToString())];
    }

    private static SettingsReader Read(params string[] settings)
    {
        IConfigurationRoot configuration = new ConfigurationBuilder()
            .AddInMemoryCollection(settings.Select(setting => setting.Split('=', 2)).GroupBy(pair => pair[0], StringComparer.Ordinal).Select(pairs => KeyValuePair.Create(pairs.Key, (string?)pairs.Last()[1])))
            .Build();
        return new SettingsReader(configuration);
    }
}
