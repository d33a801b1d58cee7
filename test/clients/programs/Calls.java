import java.io.File;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.function.Predicate;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.*;
import org.openapitools.client.auth.ApiKeyAuth;
import org.openapitools.client.model.*;

/** Calls an API by the Java client of openapi-generator, and prints `ok <operation>` for each call. */
public class Calls {
  interface Call<T> {
    T make() throws ApiException;
  }

  /** Notes a call; ends the program where it fails, or its answer is not the expected one. */
  static <T> T expect(String operation, Call<T> call, Predicate<T> isRight) {
    try {
      T data = call.make();
      if (!isRight.test(data)) throw fail(operation, String.valueOf(data));
      System.out.println("ok " + operation);
      return data;
    } catch (ApiException error) {
      throw fail(operation, error.getCode() + " " + error.getMessage() + " " + error.getResponseBody());
    }
  }

  static RuntimeException fail(String operation, String reason) {
    System.out.println("failed " + operation + ": " + reason);
    System.exit(1);
    return new IllegalStateException(reason);
  }

  static DestinationDraft link(String value) {
    return new DestinationDraft().type(DestinationDraft.TypeEnum.LINK).value(value);
  }

  static File file(String suffix, String content) throws IOException {
    File file = File.createTempFile("waymark", suffix);
    file.deleteOnExit();
    Files.writeString(file.toPath(), content);
    return file;
  }

  static byte[] read(File file) {
    try {
      return Files.readAllBytes(file.toPath());
    } catch (IOException error) {
      throw fail("read", error.getMessage());
    }
  }

  public static void main(String[] arguments) throws IOException {
    ApiClient client = new ApiClient();
    client.setBasePath(System.getenv("API"));
    // `setApiKey` sets the first scheme that the client finds, which may be the session's.
    ((ApiKeyAuth) client.getAuthentication("apiKey")).setApiKey(System.getenv("KEY"));
    FoldersApi folders = new FoldersApi(client);
    ShortLinksApi links = new ShortLinksApi(client);
    FilesApi files = new FilesApi(client);
    WebhooksApi webhooks = new WebhooksApi(client);

    expect("checkLiveness", () -> new HealthApi(client).checkLiveness(), data -> data.getStatus() != null);
    expect("getOrganization", () -> new OrganizationApi(client).getOrganization(), data -> !data.getName().isEmpty());
    Folder folder = expect("createFolder",
        () -> folders.createFolder(new CreateFolder().name("Generated"), null),
        data -> !data.getIsDefault());
    expect("listFolders",
        () -> folders.listFolders(null, null, 5, null, null),
        data -> data.getCount() == data.getData().size());
    Tag tag = expect("createTag",
        () -> new TagsApi(client).createTag(new CreateTag().name("typed"), null),
        data -> !data.getColor().isEmpty());
    RuleDraft rule = new RuleDraft().priority(BigDecimal.ONE).countries(List.of("DE"))
        .destination(link("https://example.com/de"));
    ChangedShortLink made = expect("createShortLink",
        () -> links.createShortLink(new CreateShortLink()
            .destination(link("https://example.com/generated"))
            .folderId(folder.getId())
            .externalId("generated-1")
            .tags(List.of("typed"))
            .rules(List.of(rule)), "generated-1"),
        data -> data.getRules().get(0).getCountries().equals(List.of("DE"))
            && data.getTags().get(0).getId().equals(tag.getId()) && data.getTitle() == null);
    UUID id = made.getId();
    expect("getShortLink", () -> links.getShortLink(id), data -> data.getSlug().equals(made.getSlug()));
    expect("updateShortLink",
        () -> links.updateShortLink(id, new UpdateShortLink().title("Typed"), "*"),
        data -> "Typed".equals(data.getTitle()));
    expect("listShortLinks",
        () -> links.listShortLinks(null, null, null, null, null, List.of("typed", "other"), null, null, List.of("active"),
            null, null, null, null, null, null, null, null, null, null, true, null, null, null, null, null, null),
        data -> data.getData().get(0).getFolder().getId().equals(folder.getId()));
    expect("countShortLinks",
        () -> links.countShortLinks(null, null, null, List.of(id), null, null, null, null, null,
            null, null, null, null, null, null, null, null, null, "generated"),
        data -> data.getCount() == 1);
    expect("lookupShortLink", () -> links.lookupShortLink(null, null, "generated-1", null), data -> data.getId().equals(id));
    expect("createShortLinks",
        () -> links.createShortLinks(new CreateShortLinks().links(List.of(
            new CreateShortLink().destination(link("https://example.com/one")),
            new CreateShortLink().destination(link("ftp://example.com")))), null, null),
        data -> data.getResults().get(0).getShortLinkRow().getStatus() == 201
            && data.getResults().get(1).getFailedRow().getStatus() == 400);
    expect("updateShortLinks",
        () -> links.updateShortLinks(new UpdateShortLinks().links(List.of(
            new UpdateShortLinkRow().id(id).notes("By a generated client"))), null),
        data -> data.getResults().get(0).getShortLinkRow().getData().getNotes() != null);
    expect("upsertShortLink",
        () -> links.upsertShortLink(new UpsertShortLink()
            .externalId("generated-1").destination(link("https://example.com/two")), null, null),
        data -> data.getDestination().getValue().equals("https://example.com/two"));
    expect("drawShortLinkQrCode",
        () -> links.drawShortLinkQrCode(id, "png", 300, null),
        picture -> Arrays.equals(Arrays.copyOf(read(picture), 4), new byte[] {(byte) 0x89, 'P', 'N', 'G'}));
    expect("exportShortLinks",
        () -> links.exportShortLinks(null, null, null, null, null, null, null, null, null, null,
            null, null, null, null, null, null, null, null, null, false),
        csv -> csv.contains("generated-1"));
    File rows = file(".csv", "destination,slug\nhttps://example.com/row,typed-row\n");
    expect("importShortLinks",
        () -> links.importShortLinks(rows, null, null, null, null),
        data -> data.getFinishedAt() == null);
    File logo = file(".svg",
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 9 9\"><path d=\"M0 0h9v9z\"/></svg>");
    expect("uploadQrCodeImage", () -> files.uploadQrCodeImage(logo, null), data -> data.getSize() > 0);
    expect("listFiles",
        () -> files.listFiles("qr-code", null, null, null, null, null, null),
        data -> data.getCount() == 1);
    expect("getStatsOverview",
        () -> new StatisticsApi(client).getStatsOverview("country", null, null, null, null, null, null, null, null, null,
            null, null, null, null, null, null, null, null, null, null, null, null, null, "Europe/Berlin", null),
        data -> data.getTotalClicks() == 0);
    WebhookWithSecret webhook = expect("createWebhook",
        () -> webhooks.createWebhook(new CreateWebhook()
            .url("https://hooks.example.com/waymark").events(List.of(CreateWebhook.EventsEnum.LINK_CREATED)), null),
        data -> data.getSecret().startsWith("whsec_") && data.getDisabledReason() == null);
    expect("getWebhook", () -> webhooks.getWebhook(webhook.getId()), data -> data.getEvents().size() == 1);
    expect("createDomain",
        () -> new DomainsApi(client).createDomain(new CreateDomain().domain("typed.example.com"), null),
        data -> data.getDns().getRecords().size() > 0 && !data.getIsVerified());
    expect("deleteShortLink", () -> links.deleteShortLink(id, null), data -> data.getRowCount() == 1);
    try {
      links.getShortLink(id);
      throw fail("getShortLink", "a deleted link is read");
    } catch (ApiException error) {
      if (error.getCode() != 404) throw fail("getShortLink", error.getMessage());
      System.out.println("ok getShortLink");
    }
    // Threads of the HTTP client would keep the program alive for a minute.
    System.exit(0);
  }
}
